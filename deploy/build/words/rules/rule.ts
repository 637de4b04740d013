import type { Kind, NameOf } from '../text.ts'

export type WordRule = {
  id: string
  /** A space matches any white space, so that a phrase is found across a line break. */
  pattern: RegExp
  advice: string
  /** Only in these; otherwise everywhere in the rule’s language. */
  kinds?: readonly Kind[]
}

export type NameRule = {
  id: string
  /** Matched against the name alone; a file’s name includes its suffixes and no folder. */
  pattern: RegExp
  advice: string
  of: readonly NameOf[]
  /** Matched against `still-picture` for `StillPicture`. */
  inWords?: true
}
