#pragma once

namespace heddle_bench {

/// The style sheet of `page`. It uses the whole width of the window from 360 pixels on: pictures stand in as many
/// columns as fit, and bars have their names above them where both do not fit side by side.
inline constexpr const char* page_style = R"(:root{color-scheme:light dark;
--ink:#1c2128;--soft:#59636e;--line:#d8dee4;--card:#f6f8fa;--paper:#fff;--mark:#fff3d6;--edge:#d9a02b;
--good:#1a7f37;--bad:#c62f3e}
@media(prefers-color-scheme:dark){:root{
--ink:#e6edf3;--soft:#9aa4af;--line:#30363d;--card:#12171e;--paper:#0d1117;--mark:#2e2717;--good:#4ac26b;--bad:#ff7b83}}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 system-ui,sans-serif}
body>*{padding-inline:clamp(.9rem,2.5vw,3rem)}
header{padding-block:.8rem 0}h1{font-size:1.9rem;line-height:1.1;margin:0;letter-spacing:-.03em}
header p{margin:.2rem 0 .6rem;color:var(--soft)}
header::before,header::after{content:"";display:block;height:5px;background:
repeating-linear-gradient(90deg,#0000 0 14px,var(--paper) 14px 20px),linear-gradient(90deg,#8181d6,#2ea9e1,#00c9b9,#93d475,#faca4b)}
header::before{margin-bottom:.9rem}header::after{background-position:-10px 0,0 0}
nav{display:flex;flex-wrap:wrap;gap:.1rem 1.3rem;padding-block:.6rem;background:var(--paper);
border-bottom:1px solid var(--line)}
nav a{text-decoration:none}a{color:inherit;text-decoration-color:var(--edge);text-underline-offset:.2em}
a:hover{text-decoration:underline;text-decoration-color:var(--edge)}main{padding-block:.4rem 2rem}
h2{margin:1rem 0 0;font-size:1.3rem;line-height:1.3;letter-spacing:-.01em}
h3{margin:.5rem 0 .1rem;font-size:1.05rem;line-height:1.4}p{max-width:110ch;margin:.1rem 0 .4rem}
h2+p,figcaption p,.table>p{color:var(--soft)}
.links{display:inline-flex;flex-wrap:wrap;gap:.1rem 1.1rem}
@media(min-width:70rem){.narrow{display:inline-block;vertical-align:top;width:calc(50% - .8rem)}.narrow:nth-of-type(odd){margin-right:1.2rem}}
.note{max-width:none;margin:.5rem 0;padding:.4rem .9rem;background:var(--card);border-left:4px solid var(--edge);
overflow-wrap:anywhere}
.cards,.side{display:grid;gap:1.1rem;margin-top:.6rem;align-items:start}
.cards{grid-template-columns:repeat(auto-fill,minmax(min(100%,162px),1fr));align-items:stretch;gap:.6rem;margin-top:.5rem}
.cards svg{max-height:7.4rem}.cards.wide svg{max-height:24rem}
.cards.wide{grid-template-columns:repeat(auto-fill,minmax(min(100%,27rem),1fr))}.cards figure{padding:.55rem}.cards h3{font-size:.9rem}
.cards code{font-size:11px}
.side{grid-template-columns:repeat(auto-fit,minmax(min(100%,27rem),1fr))}
.columns{columns:27rem;column-gap:1.1rem;margin-top:1rem}.columns>*{break-inside:avoid;margin-bottom:1.1rem}
figure{margin:0;padding:1rem;background:var(--card);border:1px solid var(--line);border-radius:12px}
figure svg{display:block;width:100%;height:auto;max-height:24rem}.cards figure:hover svg *{animation-play-state:paused}
figcaption p{margin:.1rem 0 0;font-size:.78rem;line-height:1.3}
code{font:13px/1.5 ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;overflow-wrap:anywhere}
.chart{container-type:inline-size}.chart h3,.table h3{margin-top:0}
.key{display:flex;flex-wrap:wrap;gap:.1rem 1.1rem;margin:.2rem 0 .5rem;font-size:.88rem}
.key span{display:inline-flex;align-items:center;gap:.4rem}
.key i{position:static;transform:none;display:inline-block}.key .bar{width:.8rem;height:.8rem}
.row{display:grid;grid-template-columns:minmax(8rem,40%) 1fr;gap:0 .9rem;align-items:center;padding:.14rem .4rem;
font-size:.9rem;line-height:1.3}
.row>:first-child{text-align:right;overflow-wrap:anywhere}
@container (max-width:25rem){.row{grid-template-columns:1fr;padding-block:.24rem}.row>:first-child{text-align:left}}
@container (max-width:38rem){.wordy .row{grid-template-columns:1fr;padding-block:.24rem}
.wordy .row>:first-child{text-align:left}.row small{display:inline;margin-left:.6em}}
.track{position:relative;display:block;height:1.15rem;margin:0 .5rem}.wide .track{margin:0 4.6rem 0 0}
.track b{position:absolute;top:-.02rem;padding-left:.4rem;font-weight:400;white-space:nowrap;
font-variant-numeric:tabular-nums}
.track u{position:absolute;inset-block:-.14rem;border-left:1px solid var(--line)}.track u.at{border-left:1px dashed var(--soft)}
.track .bar{position:absolute;left:0;inset-block:.16rem;min-width:1px}.bar,.tick,.dot{background:var(--c)}
.tick{position:absolute;inset-block:.02rem;width:2px;height:1.1rem;transform:translateX(-50%)}
.dot{position:absolute;top:50%;width:.64rem;height:.64rem;transform:translate(-50%,-50%);flex:none}
.dot.m0{border-radius:50%}.dot.m2{clip-path:polygon(50% 0,100% 50%,50% 100%,0 50%);width:.8rem;height:.8rem}
.dot.m3{clip-path:polygon(50% 0,100% 100%,0 100%);width:.75rem}
.dot.m4{clip-path:polygon(50% 100%,100% 0,0 0);width:.75rem}.many{opacity:.5}
.dot.m5{clip-path:polygon(20% 0,50% 30%,80% 0,100% 20%,70% 50%,100% 80%,80% 100%,50% 70%,20% 100%,0 80%,30% 50%,0 20%)}
.c0{--c:#2f7ed8}.c1{--c:#d9731a}.c2{--c:#1f9d6b}.c3{--c:#a35bd6}.c4{--c:#7d8792}.c5{--c:#d64f6b}.ink{--c:var(--ink)}
.axis{height:1.1rem;color:var(--soft);font-size:.8rem;font-variant-numeric:tabular-nums}
.axis span{position:absolute;transform:translateX(-50%)}
summary{cursor:pointer;margin:.6rem 0}.scroll{overflow-x:auto;margin-top:.6rem}
table{border-collapse:collapse;font-size:.92rem;font-variant-numeric:tabular-nums}.table table{width:100%}
.table{min-width:0}.table>h3,.table>p{padding-inline:.6rem}.table>p{margin:0 0 .5rem;font-size:.92rem}
th,td{padding:.13rem .6rem;text-align:right;vertical-align:top;border-bottom:1px solid var(--line);font-weight:400;
white-space:nowrap}
th{white-space:normal}
thead th{color:var(--soft);font-size:.86rem;line-height:1.3;border-bottom-width:2px;vertical-align:bottom}
th:first-child,.words{text-align:left}th:first-child{min-width:8rem}
main>.scroll thead th,details thead th{min-width:5rem}main>.scroll th:first-child,details th:first-child{overflow-wrap:anywhere}
@media(min-width:60rem){main>.scroll th:first-child,details th:first-child{min-width:15rem}}
.scroll>table th:first-child{position:sticky;left:0;background:var(--paper)}
small{display:block;color:var(--soft);font-size:.8rem}.better{color:var(--good)}.worse{color:var(--bad)}
.marked{background:var(--mark);font-weight:600;box-shadow:inset 4px 0 var(--edge)}
.scroll>table .marked th:first-child{background:var(--mark);box-shadow:inset 4px 0 var(--edge)}
.marked>*{font-weight:600}
@media(max-width:40rem){h1{font-size:2.1rem}figure{padding:.7rem}th,td{padding-inline:.35rem}
.table>h3,.table>p{padding-inline:.35rem}table{font-size:.85rem}th:first-child{min-width:7.6rem}}
@media(min-width:70rem){nav{position:sticky;top:0;z-index:1}html{scroll-padding-top:3.4rem}}
@media print{nav{position:static}figure,tr{break-inside:avoid}}
)";

}  // namespace heddle_bench
