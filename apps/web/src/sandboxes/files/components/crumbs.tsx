import { House } from 'lucide-react'
import { Fragment, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { crumbsOf } from '../../../page/content/state/names.logic.ts'
import { useFolderDrop } from '../state/file-drag.ts'
import { FileName } from './file-name.tsx'

/** The path to the shown folder; each part of it is a link. */
export function Crumbs(props: {
  folder: string
  onFolder: (path: string) => void
  onMoveInto: (paths: readonly string[], folder: string) => void
}) {
  const { t } = useTranslation('files')
  const crumbs = crumbsOf(props.folder)
  return (
    <nav className="crumbs" aria-label={t('path')}>
      {crumbs[0]?.isHome === true && (
        <button type="button" className="btn btn--ghost btn--sm" onClick={() => props.onFolder('/')}>
          /
        </button>
      )}
      {crumbs.map((crumb, index) => {
        const isLast = index === crumbs.length - 1
        return (
          <Fragment key={crumb.path}>
            {index > 0 && <span className="faint">/</span>}
            <Crumb
              isLast={isLast}
              onFolder={() => props.onFolder(crumb.path)}
              onMoveInto={(paths) => props.onMoveInto(paths, crumb.path)}
            >
              {crumb.isHome && <House className="i" size={14} />}
              {crumb.isHome ? t('home') : <FileName name={crumb.name} />}
            </Crumb>
          </Fragment>
        )
      })}
    </nav>
  )
}

/** A folder in the path. Files that are dropped on it move there. */
function Crumb(props: {
  isLast: boolean
  onFolder: () => void
  onMoveInto: (paths: readonly string[]) => void
  children: ReactNode
}) {
  const drop = useFolderDrop(props.onMoveInto)
  return (
    <button
      type="button"
      className="btn btn--ghost btn--sm"
      aria-current={props.isLast ? 'page' : undefined}
      data-over={drop.isDraggedOver || undefined}
      {...drop.handlers}
      onClick={props.onFolder}
    >
      {props.children}
    </button>
  )
}
