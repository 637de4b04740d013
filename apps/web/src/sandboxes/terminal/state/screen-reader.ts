import { store, useStored } from '../../../page/client/browser.ts'

const storageKey = 'threadbox.terminal-screen-reader'

/** Whether terminals are read aloud on this device. Off by default, because it costs time with each line. */
export function useScreenReader(): [isOn: boolean, change: (isOn: boolean) => void] {
  return [useStored(storageKey) === 'on', choose]
}

function choose(isOn: boolean): void {
  store(storageKey, isOn ? 'on' : null)
}
