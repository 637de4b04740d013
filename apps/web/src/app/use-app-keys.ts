import { useNavigate } from '@tanstack/react-router'
import { useEffect } from 'react'
import { isShortcut } from '../page/client/keyboard.ts'
import { toggleLayer } from '../page/client/layers.ts'
import { closeDrawer, toggleSidebar } from '../page/client/ui-state.ts'

/** The shortcuts that work everywhere. */
export function useAppKeys(): void {
  const navigate = useNavigate()
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key === 'F6') moveRegion(event.shiftKey ? -1 : 1)
      else if (event.key === 'Escape') closeDrawer()
      else if (isShortcut(event, { code: 'KeyK' })) toggleLayer('palette')
      else if (isShortcut(event, { code: 'Slash' }) || isShortcut(event, { code: 'Slash', shift: true })) {
        toggleLayer('shortcuts')
      } else if (isShortcut(event, { code: 'KeyO', shift: true })) void navigate({ to: '/threads/new' })
      else if (isShortcut(event, { code: 'KeyS', shift: true })) toggleSidebar()
      else return
      if (event.key !== 'Escape') event.preventDefault()
    }
    addEventListener('keydown', onKey)
    return () => removeEventListener('keydown', onKey)
  }, [navigate])
}

/** F6 moves through the regions of the page: sidebar, chat, composer, pane. */
function moveRegion(step: 1 | -1): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')].filter(
    (region) => region.offsetParent !== null,
  )
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  const next = regions[(current + step + regions.length) % regions.length]
  const target =
    next?.querySelector<HTMLElement>(
      '[aria-current=page], textarea, [role=tab][aria-selected=true], h2[tabindex]:not(.sr)',
    ) ?? (next?.matches('[tabindex]') ? next : next?.querySelector<HTMLElement>('[tabindex], a, button'))
  target?.focus()
}
