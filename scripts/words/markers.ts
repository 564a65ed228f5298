/** One habit of wording that readers of technical English do not expect. */
export interface Marker {
  readonly id: string;
  /** 3: never found elsewhere; 2: nearly always a fault; 1: common once, a fault if it recurs. */
  readonly weight: 1 | 2 | 3;
  /** Global; matches prose without code spans. */
  readonly pattern: RegExp;
  /** What to write instead. */
  readonly instead: string;
}

// deno-fmt-ignore
export const MARKERS: readonly Marker[] = [
  { id: "told", weight: 2, pattern: /\b(?:is|are|was|were|be|been|being|gets?) (?:not |only |never |also )?told\b/gi, instead: "receives, sees, is notified of; 'X reports Y'" },
  { id: "said", weight: 2, pattern: /\b(?:is|are|was|were|be|been) (?:not |only |never |also |always )?said\b/gi, instead: "is reported, shown, printed" },
  { id: "asked-of", weight: 2, pattern: /\basked (?:of|about|for once|again)\b|\b(?:is|are) asked\b(?! to\b)/gi, instead: "prompts you, is sent to, is confirmed" },
  { id: "of-own", weight: 2, pattern: /\bof (?:its|their|your|our|his|my|her|ones) own\b/gi, instead: "its own X, a separate X" },
  { id: "stands", weight: 2, pattern: /\b(?:stands?|stood)\b(?! (?:for|out)\b)(?!-)/gi, instead: "is, appears, is listed; 'stands in for' → is the fallback" },
  { id: "lies", weight: 2, pattern: /(?<!a )(?<!no )\b(?:lies|lay|lie)\b(?! (?:out|them|it|the|in what))/gi, instead: "is in, is stored in, is located" },
  { id: "nobody", weight: 1, pattern: /\bnobody\b/gi, instead: "no one, or name the actor; passive: 'is not trusted'" },
  { id: "somebody", weight: 1, pattern: /\b(?:somebody|everybody|anybody)\b/gi, instead: "another user, another process, a contributor" },
  { id: "whoever", weight: 1, pattern: /\b(?:whoever|whosoever|wherever)\b/gi, instead: "anyone who; the user; the caller; wherever → if" },
  { id: "anew", weight: 3, pattern: /\banew\b/gi, instead: "again; re-read, rebuild, redraw" },
  { id: "go-on", weight: 2, pattern: /\b(?:go|goes|gone|went|going) on\b(?! (?:your|the left|the right|to (?:your|the) ))/gi, instead: "continue, resume" },
  { id: "mend", weight: 3, pattern: /\bmend(?:s|ed|ing)?\b/gi, instead: "fix" },
  { id: "at-hand", weight: 2, pattern: /\bat hand\b/gi, instead: "current, active" },
  { id: "is-no-x", weight: 2, pattern: /(?<!there )(?<!There )\b(?:is|are|was|were) (?:no|none)\b(?!-)(?! (?:longer|more|different|need|such|one\b))/gi, instead: "is not an X; there is no X" },
  { id: "thats-no", weight: 2, pattern: /\bthat (?:is|are|was) no\b(?! longer)(?!-)/gi, instead: "that is not a(n)" },
  { id: "cleft", weight: 1, pattern: /(?:^|[.;:!] |\| )What (?:is|was|are|has|had|it|they|a|an|the|this|no|does|did|can|cannot|may|must|comes|goes|counts|you|others?|git|tools|belongs)\b[^?]*?(?:[.;:|]|$)/g, instead: "name the thing: 'Files that...', 'The output...'" },
  { id: "prep-what", weight: 1, pattern: /\b(?:of|and|but|than|with|by|for|from|in|to|at|on|beside|besides|or) what (?:is|was|are|were|it|they|a|an|the|this|that|no|has|had|was|does|did|can|cannot|may|must|comes|came|goes|you|others?|git|tools?|one|they|there|holds)\b/gi, instead: "name the thing instead of 'what'" },
  { id: "subjectless", weight: 2, pattern: /(?:^|: |; |\| |, )who (?:answers|asks|drives|works|made|wrote|may|is asked|calls|started)\b/gi, instead: "give it a subject: 'the model', 'the caller'" },
  { id: "those-that", weight: 1, pattern: /\b(?:those|that|the ones?|ones?) (?:that|which|of which|whose|in which|from which) /gi, instead: "repeat the noun" },
  { id: "of-those", weight: 1, pattern: /\b(?:of|for|with|to|in|like|as|and|but) (?:those|that) (?:of|with|in|from|for|below|before|after)\b/gi, instead: "repeat the noun" },
  { id: "where-if", weight: 1, pattern: /\bwhere (?:there (?:is|are|was)|(?:it|that|this|one) (?:is|has|can(?:not)?)|nothing|nobody|none|no|one of|neither)\b/gi, instead: "if, when" },
  { id: "to-be-had", weight: 3, pattern: /\b(?:to )?be had\b/gi, instead: "is available, can be obtained" },
  { id: "is-to-be", weight: 2, pattern: /\b(?:is|are|was|were) to be (?!able)\w+/gi, instead: "must be, will be" },
  { id: "meanwhile", weight: 1, pattern: /\bmeanwhile\b/gi, instead: "while X runs, in the meantime" },
  { id: "beside", weight: 1, pattern: /\bbesides?\b/gi, instead: "next to, alongside; in addition to, except" },
  { id: "too-paren", weight: 1, pattern: /, too(?=[,.;:)\s]|$)/gi, instead: "also" },
  { id: "a-look", weight: 2, pattern: /\b(?:a|the|each|every|one|first|last|next|two|three|second|no|its|by) (?:quick |cold |whole )?looks?\b(?! (?:at|like|up|and feel|for)\b)|\blooks? (?:again|afresh)\b/gi, instead: "scan, check, snapshot" },
  { id: "by-looking", weight: 3, pattern: /\bby looking\b(?! (?:for|back))|\blooked at, not\b/gi, instead: "by scanning" },
  { id: "unit-a-unit", weight: 2, pattern: /\b(?:a|an|one) (?:line|file|process|tool|section|round|pack|folder|note|entry|tree|row) (?:a|an) (?:\w+)\b(?<! a time)/gi, instead: "one X per Y" },
  { id: "post-whole", weight: 2, pattern: /\b(?:is|are|was|were|be) (?!(?:the|a) )(?:\w+ )?whole\b|\bin (?:its |their )?place whole\b|, whole\b(?! )|\ball of (?:it|them) whole\b/gi, instead: "complete, atomic(ally), in full" },
  { id: "in-place-of", weight: 1, pattern: /\bin (?:its|their|the former|the old one's|whose) (?:place|stead)\b/gi, instead: "instead, replaces" },
  { id: "newest", weight: 1, pattern: /\bnewest\b/gi, instead: "latest, most recent, last" },
  { id: "other-than", weight: 1, pattern: /\b(?:all|everything|none|nobody|no \w+|any \w+|anything) but\b/gi, instead: "only, except" },
  { id: "put-back", weight: 1, pattern: /\b(?:puts?|putting) (?:it |them |that |files? )?back\b/gi, instead: "restore" },
  { id: "taken-back", weight: 1, pattern: /\b(?:takes?|took|taken|taking) (?:it |them |that )?(?:back|along|away)\b/gi, instead: "revert, remove, undo" },
  { id: "for-good", weight: 1, pattern: /\bfor good\b/gi, instead: "permanently" },
  { id: "as-ever", weight: 2, pattern: /\bas (?:ever|everywhere|anywhere|always)\b/gi, instead: "as usual; or delete" },
  { id: "all-the-same", weight: 1, pattern: /\ball the same\b/gi, instead: "anyway" },
  { id: "may-not-know", weight: 2, pattern: /\bnothing is known\b|\bis not known (?:of|for)\b|\bhas (?:a|no) say\b|\bhave (?:a|no) say\b/gi, instead: "unknown X" },
  { id: "void", weight: 3, pattern: /\bis void\b|\bare void\b/gi, instead: "discarded, invalid" },
  { id: "one-that", weight: 1, pattern: /(?:^|[.;:] )(?:(?:One|Those|Neither|None|Such|All) (?:that|which|whose|with|without|is|are|has|have)|One (?:of (?:its|those|them|a|another) )|Of (?:it|them|those|these|all|what|a|an|the|his|your|others?|each|every|its) )\b/g, instead: "start with the noun" },
  { id: "else-inv", weight: 1, pattern: /(?:^|[.;] )nor (?:is|are|was|does|do|has|have|can|what|where)\b|(?:^|[;.,] )(?:else (?:is|are|it|they|the|that|what|a|with|there|nothing|one|those)|so (?:is|are|was|were|does|do|has|have) (?:it |the |a |what |those |that |its |all |one ))\b/gi, instead: "otherwise, ...; also ..." },
  { id: "its-end", weight: 1, pattern: /\b(?:to|till|until|before) (?:its|their) end\b|\b(?:comes?|came) to (?:its|their|an) end\b|\bis at its end\b|\bended at its start\b/gi, instead: "completes, when it ends, on exit" },
  { id: "foreign", weight: 1, pattern: /\bforeign (?:text|tools?|code|file|folder|server|control|words?|programs?)\b/gi, instead: "untrusted, third-party, external" },
  { id: "made-again", weight: 1, pattern: /\b(?:is|are|was|were|be) made (?:again|over)\b|\b(?:begins?|begun|began) (?:again|anew)\b/gi, instead: "re-created, retried, restarted" },
  { id: "persons", weight: 1, pattern: /\ba person\b|\bpersons\b|\bfor people\b/gi, instead: "the user, you, human-readable" },
  { id: "out-there", weight: 1, pattern: /\bfrom outside\b|\bis (?:there|gone|over|away)(?=[,.;:)]|$)/gi, instead: "exists; is missing; has ended; externally" },
  { id: "bears", weight: 2, pattern: /\b(?:bears?|bore) (?:its|it|other|the|that|a)\b/gi, instead: "tolerates, has" },
  { id: "wont-do", weight: 2, pattern: /\bwill do\b(?=[,.;:)\s(]|$)(?! (?:it|this|that|so|the|a|nothing|something|what)\b)/gi, instead: "works, is enough" },
  { id: "told-of", weight: 2, pattern: /\b(?:tells?|told|telling|says?) (?:of|so)\b/gi, instead: "report, list, mention" },
];
