import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import type { changedFiles } from '../../../page/thread/state/turn-changes.logic.ts'
import { FileName } from './file-name.tsx'
import { ChangeMark, EntryIcon } from './file-row.tsx'

/** Longer lists are for the folder itself. */
const mostShown = 500

/** All changes of the last turn, in any folder. */
export function ChangedList(props: {
  changed: ReturnType<typeof changedFiles>
  shownFile: string | null
  onFile: (path: string) => void
}) {
  const { t } = useTranslation('files')
  const format = useFormat()
  const { changed } = props
  if (changed.length === 0) return <p className="files-none">{t('nothingChanged')}</p>
  return (
    <ul className="changed-list">
      {changed.slice(0, mostShown).map(({ path, entry, change }) => {
        const name = nameOfPath(path)
        return (
          <li key={path}>
            <button
              type="button"
              aria-current={path === props.shownFile || undefined}
              onClick={() => props.onFile(path)}
            >
              <EntryIcon entry={entry ?? { name, type: 'file', linkTarget: null }} />
              <FileName name={name} />
              <ChangeMark change={change} />
              <span className="grow" />
              <bdi className="faint trunc mono">{shownName(path.slice(0, -name.length - 1)) || '/'}</bdi>
              {entry !== null && <span className="faint file-size">{format.bytes(entry.sizeBytes)}</span>}
            </button>
          </li>
        )
      })}
    </ul>
  )
}
