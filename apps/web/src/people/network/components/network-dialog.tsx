import type { Network, NetworkPreset } from '@threadbox/sdk'
import { type FormEvent, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useFormat } from '../../../page/client/use-format.ts'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { Loaded } from '../../../page/parts/loaded.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { DialogActions } from '../../../ui/dialog-actions.tsx'
import { Field } from '../../../ui/field.tsx'
import { Select } from '../../../ui/select.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { type NetworkTarget, useInstallationNetwork, useNetwork, useSetNetworkPolicy } from '../api/network.queries.ts'
import {
  isEmptyList,
  type NetworkForm,
  networkFormOf,
  networkPolicyOf,
  outerLevelsOf,
  ownPolicyOf,
} from '../state/network-form.ts'

/** Changes what sandboxes reach, for the installation, a workspace, an agent or a thread. */
export function NetworkDialog(props: { target: NetworkTarget; onClose: () => void }) {
  const { t } = useTranslation(['network', 'common'])
  const { target, onClose } = props
  const formId = useId()
  const network = useNetwork(target)
  const save = useSetNetworkPolicy(target)
  return (
    <Dialog
      isOpen
      onOpenChange={(isOpen) => !isOpen && onClose()}
      title={t(`dialog.title.${target.level}`)}
      description={t('dialog.lead')}
      closeLabel={t('common:close')}
      footer={
        <DialogActions cancelLabel={t('common:cancel')} onCancel={onClose}>
          <Button
            size="md"
            variant="primary"
            type="submit"
            form={formId}
            isDisabled={network.data === undefined}
            isLoading={save.isPending}
          >
            {t('dialog.save')}
          </Button>
        </DialogActions>
      }
    >
      <Loaded query={network}>
        {(answer) => <Form formId={formId} network={answer} save={save} onClose={onClose} />}
      </Loaded>
    </Dialog>
  )
}

function Form(props: {
  formId: string
  network: Network
  save: ReturnType<typeof useSetNetworkPolicy>
  onClose: () => void
}) {
  const { t } = useTranslation('network')
  const format = useFormat()
  const { network, save } = props
  const [form, setForm] = useState(() => networkFormOf(ownPolicyOf(network)))
  const [wasSent, setWasSent] = useState(false)
  const outer = outerLevelsOf(network)
  const change = (part: Partial<NetworkForm>) => {
    setForm({ ...form, ...part })
    save.reset()
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    setWasSent(true)
    if (isEmptyList(form) || save.isPending) return
    save.mutate(networkPolicyOf(form), {
      onSuccess: () => {
        showToast(t('saved'))
        props.onClose()
      },
    })
  }
  const kinds = [...(network.levels.length > 1 ? (['inherit'] as const) : []), 'open', 'allowlist', 'none'] as const
  const levels = format.items(outer.map((level) => t(`level.${level}`)))
  return (
    <form id={props.formId} className="model-form" onSubmit={submit} noValidate>
      <Field label={t('dialog.policy')} help={outer.length === 0 ? undefined : t('dialog.outer', { levels })}>
        {(control) => (
          <Select
            id={control.id}
            value={form.kind}
            options={kinds.map((value) => ({ value, label: t(`kind.${value}`) }))}
            onChange={(kind) => change({ kind })}
          />
        )}
      </Field>
      {form.kind === 'allowlist' && <ListFields form={form} isEmpty={wasSent && isEmptyList(form)} onChange={change} />}
      {save.error !== null && <FormProblem error={save.error} />}
    </form>
  )
}

function ListFields(props: { form: NetworkForm; isEmpty: boolean; onChange: (part: Partial<NetworkForm>) => void }) {
  const { t } = useTranslation('network')
  const { form, onChange } = props
  const installation = useInstallationNetwork()
  const toggle = (id: NetworkPreset) =>
    onChange({
      presets: form.presets.includes(id) ? form.presets.filter((one) => one !== id) : [...form.presets, id],
    })
  return (
    <>
      <Field
        label={t('dialog.names')}
        help={t('dialog.namesHelp')}
        error={props.isEmpty ? t('dialog.namesMissing') : undefined}
      >
        {(control) => (
          <textarea
            {...control}
            className="input mono"
            rows={5}
            value={form.names}
            maxLength={60_000}
            spellCheck={false}
            autoCapitalize="none"
            onChange={(event) => onChange({ names: event.target.value })}
          />
        )}
      </Field>
      <fieldset className="findings">
        <legend>{t('dialog.presets')}</legend>
        <ul>
          {installation.data?.presets.map(({ id, names }) => (
            <li key={id}>
              <label>
                <input type="checkbox" checked={form.presets.includes(id)} onChange={() => toggle(id)} />
                <span className="grow">
                  {t(`preset.${id}`)}
                  <span className="facts mono preset-names"> {names.map(({ name }) => name).join(' ')}</span>
                </span>
              </label>
            </li>
          ))}
        </ul>
      </fieldset>
    </>
  )
}
