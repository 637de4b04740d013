import type { GitLook, GitTree } from '@threadbox/sdk'
import { GitBranch } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { homeFolder, isInside, shownName } from '../../../page/content/state/names.logic.ts'
import { Select } from '../../../ui/select.tsx'

/** The repository and the state of its working tree. */
export function GitBar(props: { look: GitLook; tree: GitTree; onRepository: (root: string) => void }) {
  const { t } = useTranslation('git')
  const { look, tree } = props
  const roots = look.repositories.includes(tree.root) ? look.repositories : [tree.root, ...look.repositories]
  return (
    <div className="git-bar">
      {roots.length > 1 ? (
        <Select
          label={t('repository')}
          value={tree.root}
          options={roots.map((root) => ({ value: root, label: shortRoot(root) }))}
          onChange={props.onRepository}
        />
      ) : (
        <bdi className="trunc mono">{shortRoot(tree.root)}</bdi>
      )}
      <Branch tree={tree} />
      {!look.areAllFound && <p className="faint git-cut">{t('repositoriesCut')}</p>}
    </div>
  )
}

function shortRoot(root: string): string {
  return shownName(root !== homeFolder && isInside(root, homeFolder) ? `~${root.slice(homeFolder.length)}` : root)
}

function Branch({ tree }: { tree: GitTree }) {
  const { t } = useTranslation('git')
  const { branch, commit, upstream, ahead, behind } = tree
  const distance = ahead > 0 ? (behind > 0 ? 'diverged' : 'ahead') : behind > 0 ? 'behind' : null
  return (
    <span className="git-branch">
      <GitBranch className="i" size={14} aria-hidden />
      <bdi className="trunc">
        {branch === null ? t('detached', { commit: (commit ?? '').slice(0, 7) }) : shownName(branch)}
      </bdi>
      {commit === null && <span className="faint">{t('noCommit')}</span>}
      {distance !== null && upstream !== null && (
        <span className="faint trunc">{t(distance, { ahead, behind, upstream: shownName(upstream) })}</span>
      )}
    </span>
  )
}
