import { store, useStored } from '../../../page/client/browser.ts'

const storageKey = 'threadbox.terminal-screen-reader'

/** Whether terminals are to be read aloud on this device: it costs time with each line, so it is chosen. */
export function useScreenReader(): [isOn: boolean, change: (isOn: boolean) => void] {
  return [useStored(storageKey) === 'on', choose]
}

function choose(isOn: boolean): void {
  store(storageKey, isOn ? 'on' : null)
}
