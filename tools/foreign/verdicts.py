"""Makes the verdicts of docs/bugs_found.md again, on the code of each project as it stands in a checkout or package of yours.

    python verdicts.py aiter=PATH cutile=PATH flash-attention-4=PATH flydsl=PATH hip-ep=PATH quack=PATH triton=PATH      checkouts, index functions
    python verdicts.py deepgemm=PATH flash-attention-3=PATH flashinfer=PATH thunderkittens=PATH                           checkouts, C++
    python verdicts.py cutlass cutlass-static                 packages, by pip; cutlass=INCLUDE checks these headers
    python verdicts.py rounds=2 cutlass                       two problems per configuration, not ten
    python verdicts.py tilelang=PYTHON                        what the TileLang of an interpreter makes

Index functions run as plain Python under heddle's laws, with no GPU and none of their packages. Exits with 1 if a verdict is another one
than on the page, and with 77 if nothing could be checked. C++ needs g++ and the headers of the CUDA toolkit.
"""

import concurrent.futures
import json
import math
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import textwrap
import types
import typing
import zipfile

here = pathlib.Path(__file__).resolve().parent
failed = []
rounds = 10


def says(what, found, expected):
    print(f"{what}: {found}" + ("" if found == expected else f", but the page says {expected}"))
    if found != expected:
        failed.append(what)


def at(checkout, commit, path):
    return subprocess.run(["git", "-C", checkout, "show", f"{commit}:{path}"], capture_output=True, text=True, check=True).stdout


def part(text, first, last):
    """Returns the lines from the first that has some words to the next that has others, as code of its own."""
    lines = text.splitlines()
    begin = next(number for number, line in enumerate(lines) if first in line)
    end = next(number for number in range(begin, len(lines)) if last in lines[number])
    return textwrap.dedent("\n".join(lines[begin : end + 1]))


def function(text, name, known):
    """Returns a function of a file, as Python reads it."""
    code = re.search(rf"^def {name}\(.*?(?=^\S(?!:)|\Z)", re.sub(r"^\) ->.*:$|^\):$", "    ):", text, flags=re.M), re.M | re.S)[0]
    exec(code, known)
    return known[name]


def lines(code, row, col, known=None):
    """Returns a mapping that runs lines of code with the names that a grid and a block have there."""
    compiled = compile(code, "lines", "exec")

    def mapping(**names):
        names = {**(known or {}), **names}
        exec(compiled, names)
        return names[row], names[col]

    return mapping


def wrong_grids(rows, cols, tile_of):
    """Returns on how many grids up to rows x cols check_order finds a fault."""
    import heddle

    sizes = [(r, c) for r in range(1, rows + 1) for c in range(1, cols + 1)]
    return f"{sum(not heddle.check_order(lambda block: tile_of(block, r, c), r, c) for r, c in sizes)} of {len(sizes)} grids wrong"


def missed(tiles, size):
    """Returns how many tiles of a launch check_schedule calls missed. `tiles` has a number per block."""
    import heddle
    import numpy

    taken = numpy.array(tiles, numpy.int32)
    return len(heddle.audit(taken, numpy.arange(len(taken), dtype=numpy.int32), size).missed)


def flydsl(checkout):
    def before(code):
        mapping = lines(code, "bid_m", "bid_n")
        return wrong_grids(32, 16, lambda block, rows, cols: mapping(pid=block, grid_m=rows, grid_n=cols, group_m=8))

    for commit, name, expected in (("3df2d7c7^", "rdna3_f16_gemm", 315), ("11c4174d", "rdna_f16_gemm", 315), ("11c4174d", "rdna_fp8_preshuffle_gemm", 315)):
        text = at(checkout, commit, f"kernels/gemm/{name}.py")
        says(f"FlyDSL {commit}, {name}", before(part(text, "effective_group_m = min", "bid_n =")), f"{expected} of 512 grids wrong")
    text = at(checkout, "3df2d7c7", "kernels/gemm/rdna3_f16_gemm.py")
    width, tile = (function(text, name, {}) for name in ("_group_width", "_swizzle_tile_id"))
    says("FlyDSL 3df2d7c7, rdna3_f16_gemm", wrong_grids(32, 16, lambda block, rows, cols: tile(block, cols, width(rows, 8))), "0 of 512 grids wrong")


def hip_ep(checkout):
    for commit, expected in (("a01db8c74^", 390), ("a01db8c74", 0)):
        text = at(checkout, commit, "3rd-party/custom_kernels/hip/matmul_nbits_kernel.hip")
        code = part(text[text.index("gridDim.x") :], "const int sw ", "const int row0")
        code = re.sub(r"//.*|const int row0.*|\bint by, bx;|\b(const )?int ", "", code).replace("/", "//")
        code = re.sub(r"=\s*\((.*?)\) \? (\w+) : (\w+);", r"= \2 if \1 else \3", code)
        code = re.sub(r"if\s*\((.*?)\)\s*\{", r"if \1:", code).replace("} else {", "else:").replace("}", "").replace(";", "")
        mapping = lines(code, "by", "bx")
        wrong = 0
        for width in (2, 3, 4, 8, 16, 32):
            found = wrong_grids(8, 24, lambda block, rows, cols: mapping(block_id=block, m_tiles=rows, n_tiles=cols, swizzle_n=width))
            wrong += int(found.split()[0])
        says(f"hip-ep {commit}, matmul_nbits", f"{wrong} of 1152 grids wrong", f"{expected} of 1152 grids wrong")


def aiter(checkout):
    commit = "e4048607a5"
    kernels = at(checkout, commit, "aiter/ops/flydsl/kernels/mixed_moe_gemm_2stage_common.py")
    arith = types.SimpleNamespace(constant=lambda value, index: value, cmpi=lambda kind, a, b: a < b, select=lambda which, a, b: a if which else b)
    known = {"arith": arith, "CmpIPredicate": types.SimpleNamespace(ult=None)}
    for stage, begin, col in (("first", 0, "by"), ("second", kernels.index("by_outer = gpu.block_id"), "by_outer")):
        mapping = lines(part(kernels[begin:], "linear_id = bx_persist", f"{col} = workgroup_in_group"), "bx_persist", col, known)

        def tile_of(block, rows, cols):
            return mapping(bx_persist=block // cols, **{col: block % cols}, grid_x=cols, grid_y=rows, num_xcds=8, xcd_swizzle=4)

        says(f"aiter {commit}, MoE, {stage} stage", wrong_grids(32, 16, tile_of), "351 of 512 grids wrong")
    known = {"fx": types.SimpleNamespace(block_idx=types.SimpleNamespace(x=0)), "_min": min, "split_row_major_2d": divmod}
    any_count = function(at(checkout, commit, "aiter/ops/flydsl/kernels/gemm_a8w8_8wave.py"), "_xcd_swizzle_any", known)

    def of_any(block, rows, cols):
        known["fx"].block_idx.x = block
        return any_count(rows, cols, 4)

    says(f"aiter {commit}, product of eight waves", wrong_grids(32, 16, of_any), "0 of 512 grids wrong")

    tl = {"tl": types.SimpleNamespace(constexpr=int)}
    host = function(at(checkout, commit, "aiter/ops/triton/attention/lean_atten.py"), "get_num_splits_and_buffer_sizes", {})
    device = at(checkout, commit, "aiter/ops/triton/_triton_kernels/attention/lean_atten.py")
    function(device, "remap_xcd", tl)
    begin = part(device, "    if XCD_REMAP:", "cta_end_tile_gid = iter + (max_tiles_per_wg - 1)")
    span = lines(re.sub(r"iter\b", "begin", begin), "begin", "cta_end_tile_gid", tl)
    xcd = lines(part(begin, "if XCD_REMAP", "xcd_id = 0"), "xcd_id", "xcd_pid", tl)
    for heads, keys, expected in ((64, 8192, 0), (12, 8192, 512), (28, 8192, 512), (8, 1280, 41), (16, 640, 41)):
        _, _, high, most, of_head, programs, *_ = host(False, 1, 16, keys, heads, 128, 64, 912, True, 8)
        taken = []
        for program in range(programs):
            names = dict(current_pid=program, XCD_REMAP=True, NUM_XCDS=8, total_programs=programs, high_load_wgs=high, max_tiles_per_wg=most)
            first = xcd(**names)[0] * (heads // 8) * of_head
            taken += [first + tile for tile in range(*span(**names))]
        says(f"aiter {commit}, lean attention, {heads} heads, {keys} keys, tiles missed", missed(taken, heads * of_head), expected)

    spatial = function(at(checkout, commit, "aiter/ops/triton/utils/_triton/pid_preprocessing.py"), "remap_workgroup_spatial", tl)
    for heads, groups, blocks, batch, expected in ((64, 64, 8, 1, 0), (64, 8, 8, 1, 0), (32, 4, 8, 1, 0), (12, 12, 8, 1, 8), (20, 20, 8, 2, 24), (28, 4, 7, 1, 4)):
        taken = []
        for block in range(heads * blocks * batch):
            head, at_block, at_batch = spatial(block, heads, blocks, batch, heads // groups)
            taken.append((at_batch * blocks + at_block) * heads + head)
        says(f"aiter {commit}, spatial, {heads} heads of {groups}, {blocks} blocks, batch {batch}, tiles missed", missed(taken, heads * blocks * batch), expected)


def quack(checkout):
    class f32(float):
        """A number in 32 bits: each operation rounds."""

        def __new__(cls, value):
            return float.__new__(cls, struct.unpack("f", struct.pack("f", value))[0])

    for name in "add", "sub", "mul", "radd", "rsub", "rmul":
        setattr(f32, f"__{name}__", lambda a, b, of=getattr(float, f"__{name}__"): f32(of(a, f32(b))))

    math_of = types.SimpleNamespace(sqrt=lambda value, approx: f32(math.sqrt(f32(value))), ceil=math.ceil)
    known = {"cute": types.SimpleNamespace(math=math_of), "Int32": int, "Tuple": tuple}
    text = at(checkout, "c8ec317", "quack/tile_scheduler.py")
    triangle = text[text.index("class TriangularTileScheduler") :]
    function(text, "triangular_idx_to_coord", known)
    method = triangle[triangle.index("def _swizzle_cta") :]
    class divisor(int):
        divisor = property(int)

        def __rdivmod__(self, number):
            return divmod(int(number), int(self))

    mapping = lines(part(method, "group_size = params", "cid_n = group_col"), "cid_m", "cid_n", known)
    for rows, group, expected in ((21, 7, 1), (91, 13, 1), (42, 14, 1), (45, 15, 1), (129, 8, 0), (129, 6, 0)):
        tail = rows % group or 1
        params = types.SimpleNamespace(group_size_fdd=divisor(group), group_size_inv_f32=f32(1 / group), num_groups_regular=rows // group,
                                       group_size_tail_fdd=divisor(tail), group_size_mul_group_size_fdd=divisor(group * group),
                                       group_size_tail_mul_group_size_fdd=divisor(tail * group))
        tiles = [mapping(params=params, cluster_id_in_problem=block) for block in range(rows * (rows + 1) // 2)]
        taken = [row * (row + 1) // 2 + col if 0 <= col <= row < rows else -1 for row, col in tiles]
        says(f"QuACK c8ec317, triangle of {rows} rows in groups of {group}, tiles missed", missed(taken, len(tiles)), expected)


def cutile(checkout):
    known = {"ct": types.SimpleNamespace(cdiv=lambda count, by: -(-count // by))}
    tile = function(at(checkout, "9c3ee3c", "samples/MatMul.py"), "swizzle_2d_from_bid", known)
    for group in (3, 8):
        found = wrong_grids(32, 32, lambda block, rows, cols: tile(rows, cols, 1, 1, group, block))
        says(f"cuTile 9c3ee3c, product, groups of {group}", found, "0 of 1024 grids wrong")


def triton(checkout):
    text = at(checkout, "7649d87cce", "python/tutorials/03-matrix-multiplication.py")
    mapping = lines(part(text[text.index("grouped ordering to promote") :], "num_pid_in_group =", "pid_n ="), "pid_m", "pid_n")
    for group in (1, 3, 8):
        found = wrong_grids(32, 32, lambda block, rows, cols: mapping(pid=block, num_pid_m=rows, num_pid_n=cols, GROUP_SIZE_M=group))
        says(f"Triton 7649d87cce, tutorial of products, groups of {group}", found, "0 of 1024 grids wrong")


def flash_attention_4(checkout):
    commit, path = "0251105a", "flash_attn/cute"
    sys.path.insert(0, str(here / "checks"))
    import cute_dsl
    import flash_attention_4 as check

    cutlass = cute_dsl.install()
    known = {"cutlass": cutlass, "cute": cutlass.cute, "const_expr": bool, "Int32": int, "Optional": typing.Optional, "math": math}
    for name in ("quack", "quack.cute_dsl_utils", "flash_attn", "flash_attn.cute", "flash_attn.cute.utils", "flash_attn.cute.fast_math", "typing_extensions", "fa4"):
        sys.modules[name] = types.ModuleType(name)
    sys.modules["quack.cute_dsl_utils"].ParamsBase = object
    sys.modules["typing_extensions"].override = lambda method: method
    sys.modules["flash_attn.cute.fast_math"].clz = function(at(checkout, commit, f"{path}/fast_math.py"), "clz", known)
    utils = sys.modules["flash_attn.cute.utils"]
    utils.warp_prefix_sum = function(at(checkout, commit, f"{path}/utils.py"), "warp_prefix_sum", known)
    utils.atomic_add_i32 = lambda count, word: word.__setitem__(0, word[0] + count) or word[0] - count
    exec(at(checkout, commit, f"{path}/tile_scheduler.py"), sys.modules["fa4"].__dict__)
    for name in ("SingleTileScheduler", "StaticPersistentTileScheduler", "SingleTileLPTScheduler", "SingleTileLPTBwdScheduler", "SingleTileVarlenScheduler",
                 "DynamicPersistentVarlenScheduler"):
        says(f"FlashAttention-4 {commit}, {name}", f"{check.wrong(sys.modules['fa4'], name)} of 30 launches wrong", "0 of 30 launches wrong")


# From here on by g++, with the headers of the CUDA toolkit and, but for ThunderKittens and TileLang, of CUTLASS.


class skipped(Exception):
    """There is not what a verdict needs."""


packages = {"nvidia-cutlass==4.2.0.0": ("cutlass_library/source/include/", 0), "flashinfer-python==0.7.2.post1": ("flashinfer/data/cutlass/include/", 48)}


def headers(package, work):
    """Unpacks CUTLASS's headers from a package, by pip, and returns their folder."""
    inside, _ = packages[package]
    get = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check", "--no-deps", "--retries", "0", "--timeout", "5", "-d", work]
    if subprocess.run([*get, package], capture_output=True).returncode != 0:
        raise skipped(f"no registry has {package}")
    with zipfile.ZipFile(next(pathlib.Path(work).glob(re.split("[-=]", package)[0] + "*.whl"))) as wheel:
        wheel.extractall(f"{work}/{package}", [name for name in wheel.namelist() if name.startswith(inside)])
    return f"{work}/{package}/{inside}"


def run(program, includes, work, *words):
    """Compiles a check against headers, and returns the lines that it prints."""
    toolkit = next((folder for folder in (os.environ.get("CUDA_PATH", ""), "/usr/local/cuda") if os.path.exists(f"{folder}/include/cuda_runtime.h")), None)
    if toolkit is None or shutil.which("g++") is None:
        raise skipped("it needs g++ and the headers of the CUDA toolkit")
    binary = tempfile.mktemp(dir=work)
    folders = [here.parents[1] / "include", here, *includes, f"{toolkit}/include", f"{toolkit}/include/cccl"]
    flags = "-std=c++20 -O1 -w -fpermissive -DNDEBUG -pthread".split()
    subprocess.run(["g++", *flags, *(f"-I{each}" for each in folders), here / "checks" / program, "-o", binary], check=True)
    return subprocess.run([binary, *words], capture_output=True, text=True).stdout.splitlines()


def launches(commit, program, includes, work):
    """Says how many launches of a program that counts them are wrong: none."""
    for line in run(program, includes, work):
        print(f"  {line}")
        if counted := re.match(r"(.*): (\d+) of (\d+) launches wrong", line):
            says(f"{counted[1]}, {commit}", f"{counted[2]} launches wrong", "0 launches wrong")


def files(checkout, commit, folder, names, into):
    """Writes the files of a folder whose names match."""
    for path in subprocess.run(["git", "-C", checkout, "ls-tree", "-r", "--name-only", commit, folder], capture_output=True, text=True, check=True).stdout.split():
        if re.search(names, path):
            target = pathlib.Path(into, os.path.relpath(path, folder))
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(at(checkout, commit, path))


def flash_attention_3(checkout):
    with tempfile.TemporaryDirectory() as work:
        files(checkout, "0251105a", "hopper", r"/(tile_scheduler|utils|cuda_check)\.h", work)
        pathlib.Path(work, "named_barrier.hpp").touch()
        launches("0251105a", "flash_attention_3.cpp", [work, headers("nvidia-cutlass==4.2.0.0", work)], work)


def flashinfer(checkout):
    with tempfile.TemporaryDirectory() as work:
        files(checkout, "fb28d7242", "include", r"attention/(scheduler|heap)\.|hopper/(tile_scheduler|named_barrier)\.|flashinfer/(allocator|exception|utils)\.", work)
        pathlib.Path(work, "flashinfer/pos_enc.cuh").touch()
        launches("fb28d7242", "flashinfer.cpp", [work, headers("nvidia-cutlass==4.2.0.0", work)], work)


def thunderkittens(checkout):
    with tempfile.TemporaryDirectory() as work:
        blackwell = part(at(checkout, "0b55588d", "include/common/util.cuh"), "template <int SUPERGROUP_SIZE, bool ROW_MAJOR", "template<int half>")
        hopper = part(at(checkout, "0b55588d", "kernels/gemm/bf16_h100/bf16_h100_gemm.cu"), "int super_rows =", "else { // Id is too high")
        pathlib.Path(work, "blackwell.inc").write_text(blackwell[: blackwell.rindex("template<")])
        pathlib.Path(work, "hopper.inc").write_text(re.sub("int task_id = .*|else { // Id.*", "", hopper))
        launches("0b55588d", "thunderkittens.cpp", [work], work)


def deepgemm(checkout):
    with tempfile.TemporaryDirectory() as work:
        files(checkout, "54e2261", "deep_gemm/include", "", work)
        includes = [work, headers("nvidia-cutlass==4.2.0.0", work)]
        launches("54e2261", "deepgemm_tiles.cpp", includes, work)
        for operand, line in zip("AB", run("deepgemm.cpp", includes, work)):
            straddles = re.match("each tile once; turn .* multicasts, but block", line)
            says(f"DeepGEMM 54e2261, sums in groups along k, clusters that share {operand}", "peers share nothing" if straddles else line, "peers share nothing")


def tilelang(python):
    found = subprocess.run([python, here / "checks" / "tilelang_persistent.py"], capture_output=True, text=True)
    if found.returncode != 0:
        raise skipped(f"{python} has no tilelang")
    version = subprocess.run([python, "-c", "import importlib.metadata; print(importlib.metadata.version('tilelang'))"], capture_output=True, text=True).stdout.strip()
    kernels, checks = "", ""
    for number, (grid, blocks, source) in enumerate(json.loads(found.stdout.splitlines()[-1])):
        kernel = source[source.rindex('extern "C"') :].replace('extern "C" ', "")
        kernels += f"namespace source_{number} {{\n{kernel}\n}}\n"
        checks += f"check(all, source_{number}::visit_kernel, {math.prod(grid)}, {blocks});\n"
    with tempfile.TemporaryDirectory() as work:
        pathlib.Path(work, "kernels.inc").write_text(f"{kernels}void check_all(tally& all) {{\n{checks}}}\n")
        counted = run("tilelang.cpp", [work], work)[-1]
    expected = 7 if tuple(map(int, version.split(".")[:3])) < (0, 1, 12) else 0
    says(f"TileLang {version}, T.Persistent", counted.split(": ")[1].split(",")[0], f"{expected} of 12 launches wrong")


def cutlass(include):
    with tempfile.TemporaryDirectory() as work:
        if include:
            return print(f"CUTLASS in {include}: {run('cutlass_grouped.cpp', [include], work, str(rounds))[-1]}")
        with concurrent.futures.ThreadPoolExecutor() as pool:
            found = pool.map(lambda package: run("cutlass_grouped.cpp", [headers(package, work)], work, str(rounds))[-1], packages)
            for (package, (_, expected)), said in zip(packages.items(), found):
                says(package, " ".join(said.split()[:4]), f"{expected} of 128 configurations")
                print(f"  {said}")


def cutlass_static(_):
    with tempfile.TemporaryDirectory() as work:
        launches("nvidia-cutlass==4.2.0.0", "cutlass_static.cpp", [headers("nvidia-cutlass==4.2.0.0", work)], work)


if __name__ == "__main__":
    projects = {"aiter": aiter, "flydsl": flydsl, "hip-ep": hip_ep, "quack": quack, "cutile": cutile, "cutlass": cutlass, "cutlass-static": cutlass_static, "deepgemm": deepgemm, "flash-attention-3": flash_attention_3,
                "flash-attention-4": flash_attention_4, "flashinfer": flashinfer, "thunderkittens": thunderkittens, "tilelang": tilelang, "triton": triton}
    asked = [word.partition("=") for word in sys.argv[1:]]
    if not asked or any(name not in {*projects, "rounds"} for name, _, _ in asked):
        sys.exit(__doc__)
    checked = 0
    for name, _, value in asked:
        if name == "rounds":
            rounds = int(value)
            continue
        try:
            projects[name](value)
            checked += 1
        except skipped as reason:
            print(f"skipped: {name}: {reason}")
    sys.exit(1 if failed else 0 if checked else 77)
