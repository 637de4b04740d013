import type { WordRule } from './rule.ts'

/** Phrases that a native reader stumbles over, and what to write for them. US English. */
export const englishRules: readonly WordRule[] = [
  {
    id: 'people',
    pattern: /\b(nobody|no one|somebody|anybody|everybody|whoever|whomever|whom)\b/i,
    advice: 'Name the actor: you, the owner, anyone with the link, another process, the host.',
  },
  {
    id: 'of-then',
    pattern: /\bof (then|now|before)\b|\bthe (then|now) [a-z]+\b/i,
    advice: 'Say “from that point”, “at 14:05”, “current” or “previous”.',
  },
  {
    id: 'anew',
    pattern: /\banew\b/i,
    advice: 'Say “again”, or name the action: reload, restart, retry.',
  },
  {
    id: 'meanwhile',
    pattern: /\bmeanwhile\b/i,
    advice: 'Say “since then”, “in the meantime”, or give the order of events.',
  },
  {
    id: 'any-more',
    pattern: /\bany more\b(?! [a-z]+s\b)|\bno more\.(?=\s|$)/i,
    advice: 'Say “no longer” or “anymore”.',
  },
  {
    id: 'go-on',
    pattern: /\b(go|goes|going|went|gone) on\b(?! (to|top))/i,
    advice: 'Say “continue”, “keep running” or “happen”.',
  },
  {
    id: 'give-up',
    pattern: /\b(give|gives|giving|gave|given) up\b/i,
    advice: 'Memory is discarded, a wait is canceled, a retry stops.',
  },
  {
    id: 'take-off',
    pattern: /\b(take|takes|taking|took|taken) (off|back|up again|in|along)\b/i,
    advice: 'Say “remove”, “revoke”, “undo”, “resume” or “import”.',
  },
  {
    id: 'write-down',
    pattern: /\b(write|writes|writing|wrote|written) down\b|\bread back\b/i,
    advice: 'Say “save”, “record” or “restore”.',
  },
  {
    id: 'by-itself',
    pattern: /\bby (itself|themselves)\b/i,
    advice: 'Say “automatically”, or name what triggers it.',
  },
  {
    id: 'at-once',
    pattern: /\bat once\b/i,
    advice: 'Say “immediately” or “at the same time”.',
  },
  {
    id: 'look-at',
    pattern: /\b(look|looks|looked|looking) (at|into|after|through)\b/i,
    advice: 'Say “check”, “inspect”, “read” or “scan”.',
  },
  {
    id: 'is-there',
    pattern: /\b(is|are|was|were) there\b(?!,)|\bwhat (is|was) there\b/i,
    advice: 'Say “exists”, “is available” or “already exists”.',
  },
  {
    id: 'it-is-told',
    pattern: /\b(is|are|was|were|be|been) told\b/i,
    advice: 'Name who gets what: “the server notifies…”, “the agent gets…”.',
  },
  {
    id: 'stays-so',
    pattern: /\b(stays|remains|is) so\b(?! that)/i,
    advice: 'Say “If it keeps happening”.',
  },
  {
    id: 'as-many',
    pattern: /\bas many as it may\b|\bthe most (there|that) (can|one|it)\b/i,
    advice: 'Say “up to 5”, or “the limit is 5”.',
  },
  {
    id: 'no-noun',
    pattern: /\b(is|are) no [A-Z]?[a-z]+(?= (file|port|page|JSON|workbook|archive)|[.,])/,
    advice: 'Say “is not a …”.',
  },
  {
    id: 'log-in',
    pattern: /\b(log(ged|ging)? in(to)?|login(?! shell)|log-in)\b/i,
    advice: 'Say “sign in” or “session”.',
  },
  {
    id: 'picture',
    pattern: /\bpictures?\b/i,
    advice: 'Say “image”, “screenshot” or “figure”.',
  },
  {
    id: 'computer',
    pattern: /\b(a|the|its|saved|empty|whole) computers?\b/i,
    advice: 'Say “sandbox” or “environment”; “your computer” is the reader’s own.',
  },
  {
    id: 'answer',
    pattern: /\b(an|the|its|no|whole|empty|running) answers?\b|\banswers? (is|are|was) (being )?made\b/i,
    advice: 'Say “response” (agent, HTTP) or “result” (tool).',
  },
  {
    id: 'place',
    pattern: /\bplaces? (in|is|are|was) (use|needed)\b|\bin (this|the same) place\b|\bin the place of\b/i,
    advice: 'Say “replaces”, “here” or “scope”.',
  },
  {
    id: 'cure',
    pattern: /\b(names?|with|and) cures\b/i,
    advice: 'Say “suggests fixes”.',
  },
  {
    id: 'british',
    pattern:
      /\b(colour|behaviour|licence|catalogue|favour|centre|summaris|organis|recognis|initialis|serialis|cancelled|cancelling|grey)\w*/i,
    advice: 'US spelling: color, behavior, license, catalog, summarize, canceled, gray.',
  },
  {
    id: 'may-permission',
    pattern: /\bwhich may\b|\bwho may\b/i,
    advice: 'Say “can”.',
  },
  {
    id: 'sofar',
    pattern: /\bwhat (came|was sent|was said|it has) so far\b/i,
    advice: 'Say “the response so far”.',
  },
  {
    id: 'please',
    pattern: /\b(please(?! report)|simply|oops)\b|\ban error occurred\b/i,
    advice: 'Say what happened, then what to do, without apology or courtesy.',
    kinds: ['screens', 'errors', 'settings', 'launcher', 'messages', 'docs'],
  },
  {
    id: 'the-person',
    pattern: /\bthe (person|user|people here)\b(?! who)/i,
    advice: 'Say “you”, “the owner”, “a member” or “someone else”.',
    kinds: ['screens'],
  },
  {
    id: 'tool-contraction',
    pattern: /\b(can|could|is|are|was|were|do|does|did|has|have|had|would|won|should)n?['’]t\b/i,
    advice: 'Text for the model has no contractions.',
    kinds: ['tools'],
  },
]
