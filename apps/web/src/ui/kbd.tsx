/** One key cap. */
export function Kbd(props: { children: string }) {
  return <kbd>{props.children}</kbd>
}
