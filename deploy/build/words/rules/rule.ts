import type { Kind, NameOf } from '../text.ts'

export type WordRule = {
  id: string
  /** A space stands for any white space, so that a phrase is found across a line break. */
  pattern: RegExp
  advice: string
  /** Only in these; otherwise everywhere in the language of the rule. */
  kinds?: readonly Kind[]
}

export type NameRule = {
  id: string
  /** Matched against the name alone; that of a file has its suffixes and no folder. */
  pattern: RegExp
  advice: string
  of: readonly NameOf[]
  /** Matched against `still-picture` for `StillPicture`. */
  inWords?: true
}
