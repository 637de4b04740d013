import { highlight } from '../state/highlight.ts'

/** A text in which the searched words are marked. */
export function Marked(props: { text: string; query: string }) {
  return highlight(props.text, props.query).map((piece, index) =>
    piece.isMatch ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one text never move
      <mark key={index}>{piece.text}</mark>
    ) : (
      piece.text
    ),
  )
}
