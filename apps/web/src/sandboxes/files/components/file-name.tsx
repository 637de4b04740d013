import { shownName } from '../../../page/content/state/names.logic.ts'

/** A name from the sandbox, isolated: its text direction and characters can’t affect the rest of the page. */
export function FileName(props: { name: string; className?: string }) {
  const shown = shownName(props.name)
  return (
    <bdi className={props.className ?? 'trunc'} title={shown}>
      {shown}
    </bdi>
  )
}
