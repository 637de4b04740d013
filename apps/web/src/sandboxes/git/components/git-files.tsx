import type { GitFile, GitTree } from '@threadbox/sdk'
import type { KeyboardEvent } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import { FileName } from '../../files/components/file-name.tsx'
import { changeLetters } from '../state/git-view.logic.ts'
import { LineCount } from './line-count.tsx'

/** The files that differ from the last commit. */
export function GitFiles(props: { tree: GitTree; shownFile: string | null; onFile: (file: GitFile) => void }) {
  const { t } = useTranslation('git')
  const { tree } = props
  return (
    <>
      <Sum tree={tree} />
      {tree.files.length > 0 && (
        <ul className="changed-list git-files" aria-label={t('files')} onKeyDown={moveFocus}>
          {tree.files.map((file) => (
            <li key={file.path}>
              <FileButton file={file} isShown={file.path === props.shownFile} onFile={props.onFile} />
            </li>
          ))}
        </ul>
      )}
    </>
  )
}

/** The number of changed files, and how many of them aren’t listed. */
function Sum({ tree }: { tree: GitTree }) {
  const { t } = useTranslation('git')
  const format = useFormat()
  const { files, moreFiles, unreadableNames } = tree
  if (files.length === 0 && moreFiles === 0) return <p className="files-none">{t('clean')}</p>
  const counted = (key: 'changed' | 'moreFiles' | 'unreadable', count: number) =>
    t(key, { count, total: format.number(count) })
  const parts = [
    moreFiles === null ? t('manyMoreFiles') : counted('changed', files.length + moreFiles),
    moreFiles !== null && moreFiles > 0 ? counted('moreFiles', moreFiles) : '',
    unreadableNames > 0 ? counted('unreadable', unreadableNames) : '',
  ]
  return <p className="git-sum">{parts.filter((part) => part !== '').join(' · ')}</p>
}

function FileButton(props: { file: GitFile; isShown: boolean; onFile: (file: GitFile) => void }) {
  const { t } = useTranslation('git')
  const { file } = props
  const name = nameOfPath(file.path.replace(/\/$/, ''))
  const folder = file.path.slice(0, file.path.lastIndexOf(name)).replace(/\/$/, '')
  return (
    <button type="button" aria-current={props.isShown || undefined} onClick={() => props.onFile(file)}>
      <span className="git-mark" data-change={file.change} title={t(`change.${file.change}`)}>
        <span aria-hidden>{changeLetters[file.change]}</span>
        <span className="sr">{t(`change.${file.change}`)}</span>
      </span>
      <FileName name={name} />
      <span className="grow" />
      <bdi className="faint trunc mono">{shownName(folder)}</bdi>
      {file.isBinary && <span className="faint file-lines">{t('binaryMark')}</span>}
      <LineCount added={file.addedLines} removed={file.removedLines} />
    </button>
  )
}

/** The arrow keys, Home and End move between files. */
function moveFocus(event: KeyboardEvent<HTMLUListElement>): void {
  const buttons = [...event.currentTarget.querySelectorAll('button')]
  const at = buttons.indexOf(document.activeElement as HTMLButtonElement)
  const places: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: buttons.length - 1 }
  const target = event.altKey || event.ctrlKey || event.metaKey ? undefined : buttons[places[event.key] ?? -1]
  if (target === undefined) return
  event.preventDefault()
  target.focus()
}
