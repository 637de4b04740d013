/** A sentence in which `backquotes` mark code. */
export function CodeText(props: { text: string }) {
  return props.text.split('`').map((part, index) =>
    index % 2 === 0 ? (
      part
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: the parts of one sentence never move
      <code key={index} className="ic">
        {part}
      </code>
    ),
  )
}
