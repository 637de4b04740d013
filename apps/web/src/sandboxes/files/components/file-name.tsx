import { shownName } from '../../../page/content/state/names.models.ts'

/** A name from the sandbox: its direction is its own, and no character of it can change how the page reads. */
export function FileName(props: { name: string; className?: string }) {
  const shown = shownName(props.name)
  return (
    <bdi className={props.className ?? 'trunc'} title={shown}>
      {shown}
    </bdi>
  )
}
