import type { MachineSandbox } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { Group } from '../../../page/parts/section.tsx'
import { useErrorToast } from '../../../page/parts/use-error-toast.ts'
import { Button } from '../../../ui/button.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { usePersonName } from '../../team/api/people.queries.ts'
import { useSandboxOrder } from '../api/machine.queries.ts'

/** More are only counted: the list is sorted by what they hold. */
const shownCount = 50

/** Whose sandboxes there are, and what they hold. Nothing of what is in them. */
export function MachineSandboxes({ sandboxes }: { sandboxes: readonly MachineSandbox[] }) {
  const { t } = useTranslation('machine')
  const [stopped, setStopped] = useState<{ sandboxId: string; name: string } | null>(null)
  const more = Math.max(0, sandboxes.length - shownCount)
  return (
    <Group title={t('sandboxes')}>
      {sandboxes.length === 0 ? (
        <p className="nothing">{t('noSandboxes')}</p>
      ) : (
        <ul className="rows">
          {sandboxes.slice(0, shownCount).map((sandbox) => (
            <SandboxRow
              key={sandbox.sandboxId}
              sandbox={sandbox}
              onStop={(name) => setStopped({ sandboxId: sandbox.sandboxId, name })}
            />
          ))}
        </ul>
      )}
      {more > 0 && <p className="facts">{t('moreSandboxes', { count: more })}</p>}
      {stopped !== null && <StopDialog {...stopped} onClose={() => setStopped(null)} />}
    </Group>
  )
}

function SandboxRow({ sandbox, onStop }: { sandbox: MachineSandbox; onStop: (name: string) => void }) {
  const { t } = useTranslation(['machine', 'sandbox'])
  const format = useFormat()
  const pause = useSandboxOrder('pause')
  const showError = useErrorToast()
  const { sandboxId, userId, state, since, why, waiting, memoryBytes, diskBytes } = sandbox
  const name = usePersonName(userId) ?? t('former')
  const facts = [
    t('since', { when: format.moment(since, Date.now()) }),
    ...why.map((reason) => t(`why.${reason}`)),
    waiting === null ? '' : t(`waits.${waiting.reason}`, { position: waiting.position }),
    memoryBytes === null ? '' : t('inMemory', { bytes: format.binaryBytes(memoryBytes) }),
    diskBytes === null ? '' : t('onDisk', { bytes: format.binaryBytes(diskBytes) }),
  ].filter((fact) => fact !== '')
  return (
    <li className="row row-line">
      <div className="grow">
        <b>{name}</b> <span className="badge">{t(`sandbox:state.${state}`)}</span>
        <p className="facts num">{facts.join(' · ')}</p>
      </div>
      {state === 'active' && (
        <>
          <Button
            aria-label={t('pauseOf', { name })}
            isLoading={pause.isPending}
            onClick={() => pause.mutate(sandboxId, { onSuccess: () => showToast(t('paused')), onError: showError })}
          >
            {t('pause')}
          </Button>
          <Button aria-label={t('stopOf', { name })} onClick={() => onStop(name)}>
            {t('stop')}
          </Button>
        </>
      )}
    </li>
  )
}

function StopDialog({ sandboxId, name, onClose }: { sandboxId: string; name: string; onClose: () => void }) {
  const { t } = useTranslation('machine')
  const stop = useSandboxOrder('stop')
  return (
    <ConfirmDialog
      title={t('stopTitle', { name })}
      text={t('stopText')}
      action={t('stopAction')}
      isPending={stop.isPending}
      error={stop.error}
      onConfirm={() => stop.mutate(sandboxId, { onSuccess: onClose })}
      onClose={onClose}
    />
  )
}
