import { Menu as MenuIcon, PanelLeft } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../ui/icon-button.tsx'
import { shortcutText } from '../client/keyboard.ts'
import { toggleSidebar, useUiState } from '../client/ui-state.ts'

/** The header of a page without a thread. */
export function PlainHeader(props: { title: string; workspace?: string | undefined; children?: ReactNode }) {
  return (
    <header className="topbar">
      <SidebarButton />
      <div className="row-flex t1">
        {props.workspace !== undefined && <Crumb name={props.workspace} />}
        <h1 className="title title--plain">{props.title}</h1>
      </div>
      {props.children}
    </header>
  )
}

/** The parent of the page, before its title. */
export function Crumb(props: { name: string }) {
  return (
    <span className="crumb not-m">
      <span className="trunc">{props.name}</span>
      <span aria-hidden="true">/</span>
    </span>
  )
}

/** Shows the sidebar if it is hidden. */
export function SidebarButton() {
  const { t } = useTranslation('sidebar')
  const { isSidebarOpen } = useUiState()
  return (
    <>
      <IconButton className="only-m" label={t('open')} onClick={toggleSidebar}>
        <MenuIcon className="i" size={20} />
      </IconButton>
      {!isSidebarOpen && (
        <IconButton
          className="not-m"
          label={t('show')}
          shortcut={shortcutText({ mod: true, shift: true, key: 'S' })}
          onClick={toggleSidebar}
        >
          <PanelLeft className="i" size={16} />
        </IconButton>
      )}
    </>
  )
}
