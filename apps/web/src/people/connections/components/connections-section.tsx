import type { Connection, ConnectionPreset } from '@threadbox/sdk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { docsPlaces } from '../../../page/docs/docs-places.ts'
import { ConfirmDialog } from '../../../page/parts/confirm-dialog.tsx'
import { Loaded, LoadedRows } from '../../../page/parts/loaded.tsx'
import { Group, SectionHead } from '../../../page/parts/section.tsx'
import { SectionActions } from '../../../page/parts/section-actions.tsx'
import { Button } from '../../../ui/button.tsx'
import { useConnectionPresets, useConnections, useRemoveConnection } from '../api/connections.queries.ts'
import { ConnectionDialog } from './connection-dialog.tsx'
import { ConnectionRow } from './connection-row.tsx'

type Open =
  | { kind: 'add'; preset: ConnectionPreset | null }
  | { kind: 'edit'; connection: Connection }
  | { kind: 'remove'; connection: Connection }

/** MCP servers whose tools agents can use: connected ones, and the catalog. */
export function ConnectionsSection() {
  const { t } = useTranslation('connections')
  const connections = useConnections()
  const [open, setOpen] = useState<Open | null>(null)
  const close = () => setOpen(null)
  return (
    <>
      <SectionHead title={t('title')} lead={t('lead')} />
      <SectionActions addLabel={t('add')} onAdd={() => setOpen({ kind: 'add', preset: null })} />
      <LoadedRows
        query={connections}
        empty={t('empty')}
        docs={docsPlaces.connections}
        row={(connection) => (
          <ConnectionRow
            key={connection.id}
            connection={connection}
            onEdit={() => setOpen({ kind: 'edit', connection })}
            onRemove={() => setOpen({ kind: 'remove', connection })}
          />
        )}
      />
      <Group title={t('catalogue')} action={<span className="faint">{t('catalogueNote')}</span>}>
        <PresetList onChoose={(preset) => setOpen({ kind: 'add', preset })} />
      </Group>
      {open?.kind === 'add' && <ConnectionDialog target={open} onClose={close} />}
      {open?.kind === 'edit' && <ConnectionDialog target={open} onClose={close} />}
      {open?.kind === 'remove' && <RemoveDialog connection={open.connection} onClose={close} />}
    </>
  )
}

function PresetList(props: { onChoose: (preset: ConnectionPreset) => void }) {
  const { t } = useTranslation('connections')
  const presets = useConnectionPresets()
  return (
    <Loaded query={presets}>
      {(list) => (
        <ul className="prov">
          {list.map((preset) => (
            <li key={preset.id}>
              <b>{preset.name}</b>
              <span className="muted grow prov-text">{t(`needs.${preset.needs}`)}</span>
              <Button onClick={() => props.onChoose(preset)} aria-label={t('connectName', { name: preset.name })}>
                {t('connect')}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Loaded>
  )
}

function RemoveDialog(props: { connection: Connection; onClose: () => void }) {
  const { t } = useTranslation('connections')
  const remove = useRemoveConnection()
  return (
    <ConfirmDialog
      title={t('removeTitle', { name: props.connection.name })}
      text={t('removeText')}
      action={remove.isPending ? t('removing') : t('remove')}
      isPending={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(props.connection.id, { onSuccess: props.onClose })}
      onClose={props.onClose}
    />
  )
}
