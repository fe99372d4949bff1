# bench/plot.py makes a page of figures. Takes PYTHON, SOURCE and WORK.

if(NOT PYTHON)
  message("Python 3 was not found: skipped")
  return()
endif()
file(MAKE_DIRECTORY ${WORK})

# Sets `page` to the page of the figures in `folder`, and `complained` to the messages.
function(page_of folder expected)
  execute_process(COMMAND ${PYTHON} ${SOURCE}/bench/plot.py ${folder} --out ${WORK}/page.html
                  RESULT_VARIABLE result OUTPUT_VARIABLE said ERROR_VARIABLE complained)
  if(NOT result EQUAL expected)
    message(FATAL_ERROR "plot.py ${folder} exits with ${result}, not ${expected}: ${said}${complained}")
  endif()
  file(READ ${WORK}/page.html page)
  # The page is XML, too, so that a parser finds a tag that is left open.
  execute_process(COMMAND ${PYTHON} -c "import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])" ${WORK}/page.html
                  COMMAND_ERROR_IS_FATAL ANY)
  if(page MATCHES "https?://|<script|None|nan")
    message(FATAL_ERROR "The page of ${folder} has '${CMAKE_MATCH_0}' in it")
  endif()
  set(page "${page}" PARENT_SCOPE)
  set(complained "${complained}" PARENT_SCOPE)
endfunction()

function(expect text what)
  string(FIND "${text}" "${what}" at)
  if(at EQUAL -1)
    message(FATAL_ERROR "This is missing: ${what}")
  endif()
endfunction()

# The figures of record compared with themselves: every file is there, and every ratio is one.
page_of(${SOURCE}/bench/results 0)
file(GLOB files RELATIVE ${SOURCE}/bench/results ${SOURCE}/bench/results/*.json)
foreach(file IN LISTS files)
  expect("${page}" "${file}")
endforeach()
expect("${page}" "gemm.json; of record: gemm.json.")
expect("${page}" "grouped_torch.json; of record: grouped.json, grouped_ablation.json, grouped_torch.json.")
expect("${page}" "heddle over cuBLAS, bursts")
if(page MATCHES "(▲|▼) [0-9.]+")
  message(FATAL_ERROR "A figure differs from itself: ${CMAKE_MATCH_0}")
endif()

# Files as the programs write them, several of one program: their form differs from that of the figures of record.
page_of(${SOURCE}/tests/bench/figures 0)
foreach(what "convolution_atrous.json, convolution_filter.json; of record: convolution.json" "path_tracer_cheap.json, path_tracer_terrace.json"
        "gemm_study.json" "expand.json" "up to 1980 MHz, memory 3201 MHz" "580.95.05, for CUDA 13.0" "0123456"
        "No figures of order, schedule, gemm, reorder, launch_box in this run." "10.85" "4.400"
        "packed_prefix, every item stored<small>5.97×</small>" "1.29×"
        "grouped.json, grouped_ablation.json, grouped_torch.json; of record: " "128 × 1536 × 2048, 32768 rows, Zipf(1)" "1.25×" "4.75"
        "by k: m 1536, n 2048, 128 groups with 67584 rows, ms" "bands of 8 rows; 128x256, strided" "0.95×"
        "spaces.json" "grouped_even" "256 groups, heaviest_first" "2.25")
  expect("${page}" "${what}")
endforeach()

# Files that are wrong are named, and the others are shown.
page_of(${SOURCE}/tests/bench/broken 1)
foreach(what "gemm.json: not what the benchmark gemm writes: 'products' is missing" "order.json: not what the benchmark order writes"
        "unheard_of.json: no benchmark of this name" "reorder.json: there are no figures in it")
  expect("${complained}" "${what}")
endforeach()
expect("${page}" "unheard_of.json")
expect("${page}" "schedule.json; of record: schedule.json.")
