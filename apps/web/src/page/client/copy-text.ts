import i18next from 'i18next'
import { showErrorToast, showToast } from '../../ui/toast.tsx'

/** Copies a text to the clipboard and shows whether that succeeded. */
export async function copyText(text: string): Promise<void> {
  try {
    await navigator.clipboard.writeText(text)
    showToast(i18next.t('copied'), { id: 'copied', durationMs: 1500 })
  } catch {
    if (copyBySelection(text)) showToast(i18next.t('copied'), { id: 'copied', durationMs: 1500 })
    else showErrorToast(i18next.t('copyFailed'))
  }
}

/** The clipboard API requires HTTPS or localhost; an installation may be opened over plain HTTP. */
function copyBySelection(text: string): boolean {
  const area = document.createElement('textarea')
  area.value = text
  area.style.position = 'fixed'
  area.style.opacity = '0'
  document.body.append(area)
  const focused = document.activeElement
  area.select()
  const isCopied = document.execCommand('copy')
  area.remove()
  if (focused instanceof HTMLElement) focused.focus()
  return isCopied
}
