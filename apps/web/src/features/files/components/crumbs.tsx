import { House } from 'lucide-react'
import { Fragment } from 'react'
import { useTranslation } from 'react-i18next'
import { crumbsOf } from '../state/names.models.ts'
import { FileName } from './file-name.tsx'

/** The way to the folder that is shown; each part of it leads there. */
export function Crumbs(props: { folder: string; onFolder: (path: string) => void }) {
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
            <button
              type="button"
              className="btn btn--ghost btn--sm"
              aria-current={isLast ? 'page' : undefined}
              onClick={() => props.onFolder(crumb.path)}
            >
              {crumb.isHome && <House className="i" size={14} />}
              {crumb.isHome ? t('home') : <FileName name={crumb.name} />}
            </button>
          </Fragment>
        )
      })}
    </nav>
  )
}
