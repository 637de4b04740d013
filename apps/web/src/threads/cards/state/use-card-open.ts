import { useState } from 'react'

/** Whether a card is open: as it opens by itself, until the reader has decided. */
export function useCardOpen(opensByItself: boolean): [isOpen: boolean, toggle: () => void] {
  const [chosen, setChosen] = useState<boolean | null>(null)
  const isOpen = chosen ?? opensByItself
  return [isOpen, () => setChosen(!isOpen)]
}
