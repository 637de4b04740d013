import { useQuery } from '@tanstack/react-query'
import type { GitFile, GitLook, SandboxView } from '@threadbox/sdk'
import { RotateCw } from 'lucide-react'
import { useCallback, useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useClient } from '../../../page/client/client.ts'
import { homeFolder, isInside, shownName } from '../../../page/content/state/names.logic.ts'
import { LoadFailed } from '../../../page/parts/load-failed.tsx'
import { threadQuery } from '../../../page/thread/api/thread-queries.ts'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { Pane } from '../../../ui/pane.tsx'
import { Resizer } from '../../../ui/resizer.tsx'
import { Skeleton } from '../../../ui/skeleton.tsx'
import { useFilesView } from '../../files/state/files-store.ts'
import { closePane, rememberView, usePaneView, wasPaneOpenedByUser } from '../../panes/state/pane-store.ts'
import type { PaneProps } from '../../panes/state/panes-context.ts'
import { useGitLook, useReloadGit, useWake } from '../api/git.queries.ts'
import { type GitView, readGitView } from '../state/git-view.logic.ts'
import { GitBar } from './git-bar.tsx'
import { GitDiffViewer } from './git-diff-viewer.tsx'
import { GitFiles } from './git-files.tsx'

const pane = 'git'

/** The changes since the last commit in a repository of the thread’s sandbox. */
export function GitPane(props: PaneProps) {
  const { t } = useTranslation('git')
  const { threadId } = props
  const client = useClient()
  const { data: thread } = useQuery(threadQuery(client, threadId))
  const reload = useReloadGit(threadId)
  const state = thread?.sandbox.state
  return (
    <Pane
      title={t('title')}
      isSheet={props.isSheet}
      isFilled
      takesFocus={wasPaneOpenedByUser()}
      closeLabel={t('close')}
      onClose={() => closePane()}
      resizer={<Resizer label={t('resize')} width={props.width} minimum={400} onChange={props.onWidth} />}
      actions={
        state === 'active' && (
          <IconButton label={t('readAgain')} onClick={reload}>
            <RotateCw className="i" size={14} />
          </IconButton>
        )
      }
    >
      {state !== undefined && state !== 'active' && <Sleep threadId={threadId} state={state} />}
      <Content threadId={threadId} isAwake={state === 'active'} />
    </Pane>
  )
}

/** The folder in which repositories are searched: home, or the folder of the files pane if it is outside home. */
function useSearchFolder(threadId: string): string {
  const [{ folder }] = useFilesView(threadId)
  return isInside(folder, homeFolder) ? homeFolder : folder
}

function Content(props: { threadId: string; isAwake: boolean }) {
  const { t } = useTranslation('git')
  const { threadId, isAwake } = props
  const stored = usePaneView(threadId, pane)
  const view = useMemo(() => readGitView(stored), [stored])
  const change = useCallback((next: GitView) => rememberView(threadId, pane, next), [threadId])
  const path = useSearchFolder(threadId)
  const query = useGitLook(threadId, { path, repository: view.repository }, isAwake)
  if (query.error !== null && isAwake) {
    return (
      <div className="sec">
        <LoadFailed error={query.error} isRetrying={query.isFetching} onRetry={() => void query.refetch()} />
        {view.repository !== null && (
          <Button onClick={() => change({ repository: null, file: null })}>{t('otherRepository')}</Button>
        )}
      </div>
    )
  }
  if (query.data === undefined) {
    if (!isAwake) return null
    return (
      <div className="sec">
        <Skeleton rows={6} label={t('looking')} />
      </div>
    )
  }
  if (query.data.tree === null) {
    return (
      <div className="files-none" role="status">
        <p>{t('none', { folder: shownName(path) })}</p>
        <p className="faint">{t('noneHint')}</p>
      </div>
    )
  }
  const tree = { look: query.data, tree: query.data.tree }
  return <Tree threadId={threadId} isAwake={isAwake} {...tree} view={view} onView={change} />
}

function Tree(props: {
  threadId: string
  isAwake: boolean
  look: GitLook
  tree: NonNullable<GitLook['tree']>
  view: GitView
  onView: (view: GitView) => void
}) {
  const { threadId, look, tree, view, onView } = props
  const shown = tree.files.find(({ path }) => path === view.file)
  const show = (file: GitFile | null) => onView({ ...view, file: file === null ? null : file.path })
  return (
    <>
      <GitBar look={look} tree={tree} onRepository={(repository) => onView({ repository, file: null })} />
      <GitFiles tree={tree} shownFile={shown?.path ?? null} onFile={show} />
      {shown !== undefined && (
        <GitDiffViewer
          key={`${tree.root} ${shown.path}`}
          threadId={threadId}
          isAwake={props.isAwake}
          root={tree.root}
          file={shown}
          onClose={() => show(null)}
        />
      )}
    </>
  )
}

/** States that end without an action. */
const passingStates = ['starting', 'waking', 'pausing', 'deleting'] as const

/** Opening the pane doesn’t wake the sandbox; a button does. The content below it is the last that was loaded. */
function Sleep(props: { threadId: string; state: SandboxView['state'] }) {
  const { t } = useTranslation('git')
  const { threadId, state } = props
  const wake = useWake(threadId, state)
  const passing = passingStates.find((candidate) => candidate === state)
  return (
    <div className="files-note" role="status">
      <span className="grow">
        {passing !== undefined ? t(`onTheWay.${passing}`) : state === 'fresh' ? t('fresh') : t('asleep')}
      </span>
      {passing === undefined && (
        <Button size="sm" isLoading={wake.isPending} onClick={() => wake.mutate()}>
          {state === 'fresh' ? t('start') : t('wake')}
        </Button>
      )}
    </div>
  )
}
