/** The look of an exported page: no picture, no font, nothing from outside; light, dark and on paper. */
export const STYLE = `
:root { color-scheme: light dark; --ground: #fff; --text: #1f2328; --faint: #59636e; --line: #d1d9e0; --box: #f6f8fa;
  --user: #0969da; --tool: #8250df; --bad: #cf222e; --added: #116329; --sum: #9a6700; }
@media (prefers-color-scheme: dark) { :root { --ground: #0d1117; --text: #e6edf3; --faint: #9198a1; --line: #3d444d;
  --box: #151b23; --user: #4493f8; --tool: #ab7df8; --bad: #f85149; --added: #56d364; --sum: #d29922; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 60rem; padding: 1.5rem 1rem 4rem; background: var(--ground); color: var(--text);
  font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 1rem; }
h2 { font-size: .9rem; margin: 0 0 .4rem; color: var(--faint); font-weight: 600; }
h3, h4, h5, h6 { font-size: 1.05rem; margin: 1rem 0 .4rem; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .1rem 1rem; margin: 0; font-size: .9rem; }
dt { color: var(--faint); }
dd { margin: 0; }
header { border-bottom: 1px solid var(--line); padding-bottom: 1rem; }
nav { margin: 1rem 0; font-size: .9rem; }
nav ol { margin: .4rem 0; padding-left: 1.6rem; }
nav input { width: 100%; padding: .3rem .5rem; font: inherit; color: inherit; background: var(--box);
  border: 1px solid var(--line); border-radius: .4rem; }
nav output { color: var(--faint); }
@media (min-width: 90rem) { nav { position: fixed; top: 0; bottom: 0; left: 0; width: calc(50vw - 31rem); margin: 0;
  padding: 1.5rem 1rem; overflow-y: auto; border-right: 1px solid var(--line); } }
[hidden] { display: none; }
article { margin: 1rem 0; padding: .1rem 0 .1rem .9rem; border-left: 3px solid var(--line); }
article.user { border-color: var(--user); }
article.tool, article.command { border-color: var(--tool); }
article.summary { border-color: var(--sum); }
article.note { border-color: transparent; }
article:target { background: var(--box); }
time, .label { font-weight: 400; margin-left: .6em; }
.label { color: var(--ground); background: var(--sum); border-radius: .3em; padding: 0 .4em; }
p { margin: .5rem 0; }
.plain { white-space: pre-wrap; margin: .5rem 0; }
ul, ol { margin: .5rem 0; padding-left: 1.6rem; }
blockquote { margin: .5rem 0; padding-left: .8rem; border-left: 3px solid var(--line); color: var(--faint); }
table { border-collapse: collapse; margin: .5rem 0; }
th, td { border: 1px solid var(--line); padding: .2rem .6rem; text-align: left; vertical-align: top; }
.center { text-align: center; } .right { text-align: right; }
a { color: var(--user); }
.address { color: var(--faint); font-size: .9em; }
pre, code { font: .85rem/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; background: var(--box); border: 1px solid var(--line); border-radius: .4rem;
  margin: .4rem 0; padding: .6rem .8rem; }
:not(pre) > code { background: var(--box); border-radius: .3em; padding: .1em .3em; }
details { margin: .4rem 0; }
summary { cursor: pointer; color: var(--faint); font-size: .9rem; }
.runtime { margin-left: 1rem; opacity: .7; }
.added { color: var(--added); } .removed { color: var(--bad); }
.hljs-keyword, .hljs-literal, .hljs-selector-tag, .hljs-section { color: var(--bad); }
.hljs-string, .hljs-regexp, .hljs-addition { color: var(--added); }
.hljs-number, .hljs-attr, .hljs-attribute, .hljs-variable, .hljs-property { color: var(--user); }
.hljs-title, .hljs-built_in, .hljs-type, .hljs-name { color: var(--tool); }
.hljs-comment, .hljs-quote, .hljs-meta { color: var(--faint); }
.hljs-deletion { color: var(--bad); }
.bad > summary, .bad { color: var(--bad); }
.thinking { color: var(--faint); }
img { max-width: 100%; }
section.branch { margin-top: 3rem; border-top: 3px double var(--line); }
@media print { body { max-width: none; padding: 0; font-size: .85rem; } nav { display: none; }
  article { break-inside: auto; } h2, summary { break-after: avoid; }
  details::details-content { display: block; content-visibility: visible; height: auto; } }
`;
