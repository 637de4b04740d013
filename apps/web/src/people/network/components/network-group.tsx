import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { Button } from '../../../ui/button.tsx'
import { useInstallationNetwork } from '../api/network.queries.ts'
import { NetworkDialog } from './network-dialog.tsx'
import { NetworkFacts } from './network-words.tsx'
import { PrivateAddressesGroup } from './private-addresses-group.tsx'

/** What sandboxes of this installation reach, in the settings, and for the owner of private networks. */
export function NetworkGroup() {
  const { t } = useTranslation('network')
  const network = useInstallationNetwork()
  const [isOpen, setOpen] = useState(false)
  return (
    <>
      <Group title={t('group')} action={<Button onClick={() => setOpen(true)}>{t('change')}</Button>}>
        <Loaded query={network}>{(answer) => <NetworkFacts network={answer} />}</Loaded>
        <p className="facts">{t('groupText')}</p>
        {isOpen && <NetworkDialog target={{ level: 'installation', id: '' }} onClose={() => setOpen(false)} />}
      </Group>
      <PrivateAddressesGroup />
    </>
  )
}
