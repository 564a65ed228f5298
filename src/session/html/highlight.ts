// Loaded with an export only: the scanners of these languages are most of its code.
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import swift from "highlight.js/lib/languages/swift";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { escapeVisible } from "./escape.ts";

const LANGUAGES = { bash, c, cpp, csharp, css, diff, go, ini, java, json, kotlin, markdown, php, python, ruby, rust };
const MORE = { sql, swift, typescript, xml, yaml };
for (const [name, language] of Object.entries({ ...LANGUAGES, ...MORE })) hljs.registerLanguage(name, language);
hljs.registerAliases(["javascript", "js", "jsx", "mjs", "cjs"], { languageName: "typescript" });
hljs.registerAliases(["console", "shell"], { languageName: "bash" });

/** Longer code is data more often than not, and shown as it is. UTF-16 units. */
const MOST_UNITS = 50_000;

/**
 * Code as HTML, its words in `<span class="hljs-…">`; without colours in a language that is not known or not named.
 *
 * @param code Visible text.
 * @param language As a fence of Markdown or the end of a file's name has it.
 */
export function highlightHtml(code: string, language: string): string {
  if (code.length > MOST_UNITS || hljs.getLanguage(language) === undefined) return escapeVisible(code);
  return hljs.highlight(code, { language, ignoreIllegals: true }).value.replaceAll("&#x27;", "&#39;");
}
