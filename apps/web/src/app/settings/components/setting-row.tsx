import { useLocation } from '@tanstack/react-router'
import type { Setting } from '@threadbox/sdk'
import { type FormEvent, useEffect, useId, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { HelpLink } from '../../../page/docs/docs-link.tsx'
import { settingPlace } from '../../../page/docs/docs-places.ts'
import { CodeText } from '../../../page/parts/code-text.tsx'
import { FormProblem } from '../../../page/parts/form-problem.tsx'
import { fieldTextOf, type SettingValue, valueOfField } from '../../../page/parts/setting-value.ts'
import { Button } from '../../../ui/button.tsx'
import { Input } from '../../../ui/input.tsx'
import { Select } from '../../../ui/select.tsx'
import { Switch } from '../../../ui/switch.tsx'
import { showToast } from '../../../ui/toast.tsx'
import { useUpdateSettings } from '../api/settings.queries.ts'
import { useSettingWords } from '../state/setting-words.ts'

/** One setting: its description, value and default. Editable if the server allows it. */
export function SettingRow(props: { setting: Setting }) {
  const { t } = useTranslation('settings')
  const { setting } = props
  const id = useId()
  const { title, doc } = useSettingWords(setting)
  const update = useUpdateSettings()
  const save = (value: SettingValue) =>
    update.mutate({ settings: { [setting.name]: value } }, { onSuccess: () => showToast(t('saved')) })
  const isDefault = setting.value === setting.default
  return (
    <li className="row">
      <div className="row-line setting">
        <div className="grow">
          <label htmlFor={id}>
            <b>{title}</b>
          </label>
          <HelpLink to={settingPlace(setting.name)} about={title} />
          <p className="facts">
            <CodeText text={doc} />
          </p>
          <p className="facts num">
            {isDefault ? t('limits.isDefault') : t('limits.default', { value: textOf(setting.default, setting.name) })}
          </p>
        </div>
        {setting.isEditable ? (
          <SettingControl
            key={String(setting.value)}
            id={id}
            setting={setting}
            isSaving={update.isPending}
            onSave={save}
          />
        ) : (
          <output id={id} className="mono">
            {textOf(setting.value, setting.name) || t('limits.none')}
          </output>
        )}
      </div>
      {update.error !== null && <FormProblem error={update.error} />}
    </li>
  )
}

function textOf(value: SettingValue, name: string): string {
  return fieldTextOf({ name, value })
}

type ControlProps = { id: string; setting: Setting; isSaving: boolean; onSave: (value: SettingValue) => void }

function SettingControl(props: ControlProps) {
  const { setting } = props
  if (typeof (setting.value ?? setting.default) === 'boolean') {
    return <Switch id={props.id} isOn={setting.value === true} onChange={props.onSave} />
  }
  if (setting.name === 'hotKeep') return <HotKeepControl {...props} />
  return <TextControl {...props} />
}

const hotKeeps = ['guaranteed', 'strict'] as const

/** What happens to memory after the guaranteed time: one of two choices, effective immediately. */
function HotKeepControl(props: ControlProps) {
  const { t } = useTranslation('sandbox')
  const value = hotKeeps.find((known) => known === props.setting.value) ?? 'guaranteed'
  return (
    <div className="setting-control">
      <Select
        id={props.id}
        value={value}
        isDisabled={props.isSaving}
        options={hotKeeps.map((known) => ({ value: known, label: t(`pane.hotKeepOf.${known}`) }))}
        onChange={props.onSave}
      />
    </div>
  )
}

function TextControl(props: ControlProps) {
  const { t } = useTranslation('settings')
  const { setting } = props
  const saved = fieldTextOf(setting)
  const [text, setText] = useState(saved)
  const value = valueOfField(setting, text)
  const isWrong = value === undefined
  const submit = (event: FormEvent) => {
    event.preventDefault()
    if (value !== undefined && text !== saved) props.onSave(value)
  }
  const problemId = `${props.id}-problem`
  const field = useFieldOfAddress(setting.name)
  return (
    <form className="setting-control" onSubmit={submit} noValidate>
      <Input
        ref={field}
        id={props.id}
        value={text}
        onChange={(event) => setText(event.target.value)}
        aria-invalid={isWrong || undefined}
        aria-describedby={isWrong ? problemId : undefined}
      />
      {text === saved ? null : (
        <Button type="submit" variant="primary" size="md" isDisabled={isWrong} isLoading={props.isSaving}>
          {t('save')}
        </Button>
      )}
      {text === saved && setting.value !== setting.default ? (
        <Button
          size="md"
          variant="ghost"
          aria-label={t('limits.resetOf', { name: setting.name })}
          isLoading={props.isSaving}
          onClick={() => props.onSave(null)}
        >
          {t('limits.reset')}
        </Button>
      ) : null}
      {isWrong && (
        <p className="help help--error" id={problemId} role="alert">
          {t('limits.problem', { example: textOf(setting.default, setting.name) })}
        </p>
      )}
    </form>
  )
}

/** Focuses the field that the address names (`/settings/limits#sandboxMemoryBytes`) when it appears. */
function useFieldOfAddress(name: string) {
  const field = useRef<HTMLInputElement>(null)
  const isTarget = useLocation({ select: ({ hash }) => hash === name })
  useEffect(() => {
    if (!isTarget) return
    field.current?.focus()
    field.current?.select()
  }, [isTarget])
  return field
}
