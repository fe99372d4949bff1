#pragma once

#include <heddle/config.hpp>

namespace heddle::inline HEDDLE_ABI::draw::detail {

/// The style sheet of `page`. It uses the whole width of the window from 360 pixels on: pictures stand in as many
/// columns as fit, and bars have their names above them where both do not fit side by side. The four colours of bars
/// are those of palette.hpp.
inline constexpr const char* page_style = R"(:root{color-scheme:light dark;
--ink:#1c2128;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--paper:#fff;--mark:#fff3d6;--edge:#d9a02b}
@media(prefers-color-scheme:dark){:root{
--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#12171e;--paper:#0d1117;--mark:#2e2717}}
*{box-sizing:border-box}
html{scroll-padding-top:3.4rem}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
body>*{padding-inline:clamp(.9rem,2.5vw,3rem)}
header{padding-block:2rem 0}
h1{font-size:2.6rem;line-height:1.1;margin:0;letter-spacing:-.03em}
header p{margin:.5rem 0 1.2rem;color:var(--soft)}
header::before,header::after{content:"";display:block;height:5px;background:
repeating-linear-gradient(90deg,#0000 0 14px,var(--paper) 14px 20px),linear-gradient(90deg,#8181d6,#2ea9e1,#00c9b9,#93d475,#faca4b)}
header::before{margin-bottom:1.6rem}
header::after{background-position:-10px 0,0 0}
nav{display:flex;flex-wrap:wrap;gap:.1rem 1.3rem;padding-block:.6rem;background:var(--paper);
border-bottom:1px solid var(--line)}
nav a{text-decoration:none}
a{color:inherit;text-decoration-color:var(--edge);text-underline-offset:.2em}
a:hover{text-decoration:underline;text-decoration-color:var(--edge)}
main{padding-block:1rem 4rem}
h2{margin:2.6rem 0 .3rem;font-size:1.5rem;line-height:1.3;letter-spacing:-.01em}
h3{margin:.8rem 0 .2rem;font-size:1.05rem;line-height:1.4}
p{max-width:90ch;margin:.2rem 0 .6rem}
h2+p,figcaption p,.table>p{color:var(--soft)}
.links{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:0 0 .8rem}
.note{max-width:none;margin:1rem 0;padding:.6rem .9rem;background:var(--card);border-left:4px solid var(--edge)}
.cards,.side{display:grid;gap:1.1rem;margin-top:1rem;align-items:start}
.cards{grid-template-columns:repeat(auto-fill,minmax(min(100%,310px),1fr));align-items:stretch}
.side{grid-template-columns:repeat(auto-fit,minmax(min(100%,32rem),1fr))}
figure{margin:0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
figure>svg{display:block;width:100%;height:auto;max-height:24rem}
figure:hover svg *{animation-play-state:paused}
figcaption p{margin:.4rem 0 0;font-size:.92rem}
code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.bars{container-type:inline-size}
.bars h3,.table h3{margin-top:0}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.2rem 0 .5rem;color:var(--soft);font-size:.88rem}
.key i{display:inline-block;width:.8rem;height:.8rem;margin-right:.4rem;vertical-align:-.05rem}
.row{display:grid;grid-template-columns:minmax(8rem,44%) 1fr;gap:0 .9rem;align-items:center;padding:.16rem .4rem;
font-size:.9rem;line-height:1.3}
.row>:first-child{text-align:right;overflow-wrap:anywhere}
@container (max-width:34rem){.row{grid-template-columns:1fr;padding-block:.28rem}.row>:first-child{text-align:left}}
.track{position:relative;display:flex;align-items:center;height:1.15rem;padding-right:4.6rem;
font-variant-numeric:tabular-nums}
.track i{height:.8rem;min-width:1px}
.track b{font-weight:400;margin-left:.4rem;white-space:nowrap}
.track u{position:absolute;inset-block:-.12rem;border-left:1px dashed var(--soft)}
.s0{background:#62b6ee}.s1{background:#f0a020}.s2{background:#2fbd92}.s3{background:#b1b8c0}
.scroll{overflow-x:auto}
table{border-collapse:collapse;width:100%;font-size:.92rem;font-variant-numeric:tabular-nums}
.table{min-width:0}
.table>h3,.table>p{padding-inline:.6rem}
.table>p{margin:0 0 .5rem;font-size:.92rem}
th,td{padding:.34rem .6rem;text-align:right;border-bottom:1px solid var(--line);font-weight:400;white-space:nowrap}
th{white-space:normal}
thead th{color:var(--soft);font-size:.86rem;line-height:1.3;border-bottom-width:2px;vertical-align:bottom}
th:first-child{text-align:left;min-width:8rem}
.marked{background:var(--mark);font-weight:600;box-shadow:inset 4px 0 var(--edge)}
.marked>*{font-weight:600}
@media(max-width:40rem){h1{font-size:2.1rem}figure{padding:.7rem}th,td{padding-inline:.35rem}
.table>h3,.table>p{padding-inline:.35rem}table{font-size:.85rem}}
@media(min-width:60rem){nav{position:sticky;top:0;z-index:1}}
@media(max-width:60rem){html{scroll-padding-top:0}}
@media print{nav{position:static}figure,tr{break-inside:avoid}}
)";

}  // namespace heddle::inline HEDDLE_ABI::draw::detail
