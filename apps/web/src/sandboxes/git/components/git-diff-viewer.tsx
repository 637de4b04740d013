import type { GitDiff, GitFile } from '@threadbox/sdk'
import { Copy, FileText, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../../page/client/copy-text.ts'
import { useFormat } from '../../../page/client/use-format.ts'
import { joinPath, nameOfPath, shownName } from '../../../page/content/state/names.logic.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { FileName } from '../../files/components/file-name.tsx'
import { showFile } from '../../files/state/files-store.ts'
import { useGitDiff } from '../api/git.queries.ts'
import { changedLinesOf } from '../state/git-view.logic.ts'
import { DiffRows } from './diff-rows.tsx'
import { LineCount } from './line-count.tsx'

type Shown = { threadId: string; isAwake: boolean; root: string; file: GitFile; onClose: () => void }

/** The diff of the selected file, below the list. */
export function GitDiffViewer(props: Shown) {
  const { t } = useTranslation('git')
  const { threadId, root, file } = props
  const isFolder = file.path.endsWith('/')
  const query = useGitDiff(threadId, { root, file }, props.isAwake && !isFolder)
  const name = nameOfPath(file.path.replace(/\/$/, ''))
  const path = joinPath(root, file.path)
  const diff = query.data
  return (
    <section className="viewer" aria-label={t('differenceOf', { name: shownName(name) })}>
      <header className="viewer-h">
        <h3>
          <FileName name={name} />
        </h3>
        <LineCount
          added={file.addedLines ?? diff?.addedLines ?? null}
          removed={file.removedLines ?? diff?.removedLines ?? null}
        />
        <Facts file={file} diff={diff} />
        <span className="grow" />
        {diff !== undefined && diff.diff !== '' && (
          <IconButton label={t('copy')} onClick={() => void copyText(diff.diff)}>
            <Copy className="i" size={16} />
          </IconButton>
        )}
        {file.change !== 'deleted' && !isFolder && (
          <IconButton label={t('showFile')} onClick={() => showFile(threadId, path)}>
            <FileText className="i" size={16} />
          </IconButton>
        )}
        <IconButton label={t('closeFile')} onClick={props.onClose}>
          <X className="i" size={16} />
        </IconButton>
      </header>
      {isFolder ? <p className="files-none">{t('folder')}</p> : <Body {...props} query={query} path={path} />}
    </section>
  )
}

function Facts({ file, diff }: { file: GitFile; diff: GitDiff | undefined }) {
  const { t } = useTranslation('git')
  return (
    <span className="faint viewer-facts trunc">
      {file.from !== null && t('renamedFrom', { name: shownName(file.from) })}{' '}
      {diff?.modes != null && diff.diff !== '' && t('mode', diff.modes)}
    </span>
  )
}

function Body(props: Shown & { query: ReturnType<typeof useGitDiff>; path: string }) {
  const { t } = useTranslation('git')
  const { query, file } = props
  const diff = query.data
  if (query.error !== null && props.isAwake) {
    return (
      <div className="sec">
        <LoadFailed error={query.error} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
      </div>
    )
  }
  if (diff === undefined) {
    if (!props.isAwake) return <p className="files-none">{t('asleep')}</p>
    return (
      <div className="sec">
        <Skeleton rows={4} label={t('loading')} />
      </div>
    )
  }
  if (diff.isBinary) return <p className="files-none">{t('binary')}</p>
  if (diff.diff === '') return <WithoutLines file={file} diff={diff} />
  return (
    <>
      <DiffRows diff={diff.diff} label={t('difference')} />
      {diff.isCut && <Cut {...props} diff={diff} />}
    </>
  )
}

/** Why a changed file has no changed lines. */
function WithoutLines({ file, diff }: { file: GitFile; diff: GitDiff }) {
  const { t } = useTranslation('git')
  const sentence =
    diff.modes !== null
      ? t('onlyMode', diff.modes)
      : file.from !== null
        ? t('onlyName')
        : file.change === 'untracked' || file.change === 'added'
          ? t('empty')
          : t('same')
  return <p className="files-none">{sentence}</p>
}

/** Shows how much of the diff is missing, and offers the whole file. */
function Cut(props: Shown & { diff: GitDiff; path: string }) {
  const { t } = useTranslation('git')
  const format = useFormat()
  const { diff, file, threadId, path } = props
  const total = changedLinesOf(file)
  const changed = diff.addedLines + diff.removedLines
  return (
    <p className="viewer-foot" role="note">
      <span className="grow">
        {total === null || total < changed
          ? t('cut', { shown: format.number(diff.diff.split('\n').length - 1) })
          : t('cutOf', { shown: format.number(changed), total: format.number(total) })}
      </span>
      {file.change !== 'deleted' && (
        <Button size="sm" onClick={() => showFile(threadId, path)}>
          {t('showFile')}
        </Button>
      )}
    </p>
  )
}
