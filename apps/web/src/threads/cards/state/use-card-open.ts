import { useState } from 'react'

/** Whether a card is open: the default until the reader opens or closes it. */
export function useCardOpen(isOpenByDefault: boolean): [isOpen: boolean, toggle: () => void] {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = chosen ?? isOpenByDefault
  return [isOpen, () => setChosen(!isOpen)]
}
