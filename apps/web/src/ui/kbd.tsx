/** One key. */
export function Kbd(props: { children: string }) {
  return <kbd>{props.children}</kbd>
}
