# bench/plot.py makes a page of figures. Takes PYTHON, SOURCE and WORK.

if(NOT PYTHON)
  message("Python 3 was not found: skipped")
  return()
endif()
file(MAKE_DIRECTORY ${WORK})

# Sets `page` to the page of the figures in `folder`, and `complained` to the messages. Further arguments are the program's.
function(page_of folder expected)
  execute_process(COMMAND ${PYTHON} ${SOURCE}/bench/plot.py ${folder} --out ${WORK}/page.html ${ARGN}
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
set(h200 ${SOURCE}/bench/results/h200)
page_of(${h200} 0)
file(GLOB files RELATIVE ${h200} ${h200}/*.json)
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
        "gemm_study.json" "choose.json" "the tuned plan over the best of all that was measured" "17505 × 1392 × 752" "expand.json" "up to 1980 MHz, memory 3201 MHz" "580.95.05, for CUDA 13.0" "0123456"
        "No figures of order, schedule, gemm, reorder, launch_box in this run." "10.85" "4.400"
        "packed_prefix, every item stored<small>5.97×</small>" "1.29×"
        "grouped.json, grouped_ablation.json, grouped_torch.json; of record: " "128 × 1536 × 2048, 32768 rows, Zipf(1)" "1.25×" "4.75"
        "by k: m 1536, n 2048, 128 groups with 67584 rows, ms" "bands of 8 rows; 128x256, strided" "0.95×"
        "spaces.json" "grouped_even" "256 groups, heaviest_first" "2.25"
        "gemm_few.json; of record: gemm_few.json" "1536 × 512 × 7168" "over_best" "1.25×" "0.800×" "30 %"
        "gemm_beside.json; of record: gemm_beside.json" "8192 × 8192 × 8192 beside a kernel that holds multiprocessors"
        "8192 × 8192 × 8192, 24 held, arrives" "the plan, sharing, over the law" "1.040×" "1.600×" "the plan that shares over cuBLAS, held")
  expect("${page}" "${what}")
endforeach()

# Figures of a GPU without a record: those of another one are there under its name, and never as committed.
function(expect_none text what)
  string(FIND "${text}" "${what}" at)
  if(NOT at EQUAL -1)
    message(FATAL_ERROR "This should not be there: ${what}")
  endif()
endfunction()

# Sets up `folder` with the figures of a run, as if another GPU had made them.
function(figures_of gpu folder)
  file(REMOVE_RECURSE ${folder})
  file(GLOB run ${SOURCE}/tests/bench/figures/*.json)
  foreach(file IN LISTS run)
    file(READ ${file} text)
    string(REPLACE "NVIDIA H200" "${gpu}" text "${text}")
    get_filename_component(name ${file} NAME)
    file(WRITE ${folder}/${name} "${text}")
  endforeach()
endfunction()

expect("${page}" "<th scope=\"col\" class=\"words\">committed</th>")
expect_none("${page}" "another GPU")
figures_of("NVIDIA A100-SXM4-80GB" ${WORK}/a100)
page_of(${WORK}/a100 0)
foreach(what "There are no figures of record of NVIDIA A100-SXM4-80GB. All figures of record here are of NVIDIA H200, another GPU"
        "<th scope=\"col\" class=\"words\">of NVIDIA H200</th>" "times as fast as the figures of NVIDIA H200" "dashed: of NVIDIA H200")
  expect("${page}" "${what}")
endforeach()
expect_none("${page}" "committed</")

# Each GPU is compared with its own record, whatever the folder is called: every figure is that of the record.
file(REMOVE_RECURSE ${WORK}/records)
file(COPY ${WORK}/a100 DESTINATION ${WORK}/records)
file(COPY ${h200} DESTINATION ${WORK}/records)
page_of(${WORK}/a100 0 --committed ${WORK}/records)
expect("${page}" "convolution_atrous.json, convolution_filter.json; of record: convolution_atrous.json, convolution_filter.json.")
expect_none("${page}" "H200")
if(page MATCHES "(▲|▼) [0-9.]+")
  message(FATAL_ERROR "A figure differs from itself: ${CMAKE_MATCH_0}")
endif()
page_of(${h200} 0 --committed ${WORK}/records)
expect("${page}" "gemm.json; of record: gemm.json.")
expect_none("${page}" "A100")

# Without any record the page has this run alone.
file(MAKE_DIRECTORY ${WORK}/nothing)
page_of(${WORK}/a100 0 --committed ${WORK}/nothing)
expect("${page}" "No figure is in both.")
expect_none("${page}" "H200")

# Figures of two GPUs in one run are of no record.
figures_of("NVIDIA A100-SXM4-80GB" ${WORK}/mixed)
file(COPY ${h200}/gemm.json DESTINATION ${WORK}/mixed)
page_of(${WORK}/mixed 0 --committed ${WORK}/records)
expect("${page}" "The figures of this run are of more than one GPU.")
expect("${page}" "There are no figures of record of NVIDIA A100-SXM4-80GB and NVIDIA H200.")

# Files that are wrong are named, and the others are shown.
page_of(${SOURCE}/tests/bench/broken 1)
foreach(what "gemm.json: not what the benchmark gemm writes: 'products' is missing" "order.json: not what the benchmark order writes"
        "unheard_of.json: no benchmark of this name" "reorder.json: there are no figures in it")
  expect("${complained}" "${what}")
endforeach()
expect("${page}" "unheard_of.json")
expect("${page}" "schedule.json; of record: schedule.json.")
