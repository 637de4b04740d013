import type { OpenPort } from '@threadbox/sdk'
import { Unplug, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../../ui/button.tsx'
import { IconButton } from '../../../ui/icon-button.tsx'
import { keyOfPort } from '../state/targets.logic.ts'

/** Ports of programs that aren’t services. Shown on request, never automatically. */
export function PortOffers(props: { ports: readonly OpenPort[]; onShow: (key: string) => void }) {
  const { t } = useTranslation('preview')
  const [hidden, setHidden] = useState<readonly number[]>([])
  const ports = props.ports.filter(({ port }) => !hidden.includes(port))
  if (ports.length === 0) return null
  return (
    <ul className="offers" aria-label={t('openPorts')}>
      {ports.map(({ port, command }) => (
        <li key={port}>
          <Unplug className="i" size={14} aria-hidden="true" />
          <span>{t('portOpen', { port })}</span>
          <span className="mono faint trunc grow" title={command}>
            {command}
          </span>
          <Button size="sm" aria-label={t('showPort', { port })} onClick={() => props.onShow(keyOfPort(port))}>
            {t('show')}
          </Button>
          <IconButton size="sm" label={t('hidePort', { port })} onClick={() => setHidden([...hidden, port])}>
            <X className="i" size={14} />
          </IconButton>
        </li>
      ))}
    </ul>
  )
}
