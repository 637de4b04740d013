import type {
  CreateSignInProvider,
  SignInButtons,
  SignInProvider,
  TestedSignInProvider,
  UpdateSignInProvider,
} from '@threadbox/protocol/public'
import { isUniqueViolation } from '../../platform/database/database.ts'
import type { SecretBox } from '../../platform/secrets/secret-box.ts'
import type { System } from '../../platform/system/system.ts'
import type { Audit } from '../audit/audit.ts'
import { auditChange } from '../audit/audit-changes.logic.ts'
import type { PeopleAdministration } from '../users/people.usecases.ts'
import type { IssuerClient, Issuers } from './issuer.ts'
import {
  providerIssuerTaken,
  providerLimit,
  providerNotFound,
  providerOwnerOnly,
  providerSettingsInvalid,
} from './oidc.errors.ts'
import type { OidcStore } from './oidc.store.ts'
import type { OidcProviderRow } from './oidc.table.ts'
import type { IdentityEnd } from './oidc-identities.usecases.ts'
import { defaultSettings, type ProviderSettings, problemOf, settingsOf, stateOf } from './oidc-providers.logic.ts'
import { refusalOf } from './refusals.ts'

/** The providers of the installation. All but the buttons are for the owner: others get `sign-in.owner-only`. */
export type Providers = {
  /** `problem`: the code of a refusal, to explain it. */
  buttons(problem: string | undefined): Promise<SignInButtons>
  list(userId: string, appOrigin: string): Promise<SignInProvider[]>
  /** Throws `sign-in.settings-invalid`, `sign-in.issuer-taken`. Asks the issuer nothing. */
  create(userId: string, request: CreateSignInProvider, appOrigin: string): Promise<SignInProvider>
  /** Throws `sign-in.settings-invalid`, `sign-in.provider-not-found`. */
  update(
    userId: string,
    id: string,
    change: { request: UpdateSignInProvider; appOrigin: string },
  ): Promise<SignInProvider>
  /** Signs out everyone who signed in with it, and removes what its groups gave. */
  remove(userId: string, id: string): Promise<void>
  test(userId: string, id: string): Promise<TestedSignInProvider>
}

export type ProvidersDependencies = {
  store: Pick<OidcStore, 'providers' | 'identities'>
  issuers: Pick<Issuers, 'test'>
  people: Pick<PeopleAdministration, 'roleOf'>
  secretBox: SecretBox
  endIdentity: IdentityEnd
  audit: Pick<Audit, 'record'>
  system: System
}

const maxProviders = 10

export function makeProviders(dependencies: ProvidersDependencies): Providers {
  const { store, issuers, people, secretBox, audit, system } = dependencies
  const rows = store.providers
  const requireOwner = async (userId: string) => {
    if ((await people.roleOf(userId)) !== 'owner') throw providerOwnerOnly({})
  }
  const requireRow = async (id: string) => {
    const row = await rows.find(id)
    if (row === undefined) throw providerNotFound({})
    return row
  }
  return {
    buttons: async (problem) => ({
      providers: (await rows.list()).map(({ id, name }) => ({ id, name })),
      problem: problem === undefined ? null : refusalOf(problem),
    }),
    list: async (userId, appOrigin) => {
      await requireOwner(userId)
      return (await rows.list()).map((row) => present(row, appOrigin))
    },
    create: async (userId, request, appOrigin) => {
      await requireOwner(userId)
      if ((await rows.list()).length >= maxProviders) throw providerLimit({ limit: maxProviders })
      const row: OidcProviderRow = {
        id: system.newId('signInProvider'),
        name: request.name.trim(),
        issuer: new URL(request.issuer).href,
        client_id: request.clientId.trim(),
        sealed_secret: request.clientSecret == null ? null : secretBox.seal(request.clientSecret),
        settings_json: JSON.stringify(checked({ ...defaultSettings, ...settingsIn(request) })),
        created_at: system.now(),
      }
      await rows.insert(row).catch((error: unknown) => {
        throw isUniqueViolation(error) ? providerIssuerTaken({}) : error
      })
      const change = auditChange(null, stateOf(row))
      await audit.record({ userId, action: 'sign-in-provider-added', subject: row.id, ...change })
      return present(row, appOrigin)
    },
    update: async (userId, id, { request, appOrigin }) => {
      await requireOwner(userId)
      const before = await requireRow(id)
      const { name, clientId, clientSecret } = request
      const columns = {
        ...(name === undefined ? {} : { name: name.trim() }),
        ...(clientId === undefined ? {} : { client_id: clientId.trim() }),
        ...(clientSecret === undefined
          ? {}
          : { sealed_secret: clientSecret === null ? null : secretBox.seal(clientSecret) }),
        settings_json: JSON.stringify(checked({ ...settingsOf(before), ...settingsIn(request) })),
      }
      await rows.update(id, columns)
      const after = { ...before, ...columns }
      const change = auditChange(stateOf(before), stateOf(after))
      const details = { name: after.name, hasNewSecret: clientSecret !== undefined }
      await audit.record({ userId, action: 'sign-in-provider-changed', subject: id, details, ...change })
      return present(after, appOrigin)
    },
    remove: async (userId, id) => {
      await requireOwner(userId)
      const row = await requireRow(id)
      for (const identity of await store.identities.ofProvider(id)) await dependencies.endIdentity(identity)
      if (!(await rows.remove(id))) throw providerNotFound({})
      const change = auditChange(stateOf(row), null)
      await audit.record({ userId, action: 'sign-in-provider-removed', subject: id, ...change })
    },
    test: async (userId, id) => {
      await requireOwner(userId)
      return await issuers.test(clientOf(await requireRow(id), secretBox))
    },
  }
}

export function clientOf(row: OidcProviderRow, secretBox: SecretBox): IssuerClient {
  const clientSecret = row.sealed_secret === null ? null : secretBox.open(row.sealed_secret)
  return { issuer: row.issuer, clientId: row.client_id, clientSecret }
}

/** Where an issuer sends people back to, and where it reports that they signed out. */
export function addressesOf(providerId: string, appOrigin: string): SignInProvider['addresses'] {
  const base = `${appOrigin}/sign-in/${providerId}`
  return { callback: `${base}/callback`, logout: `${base}/logout` }
}

function checked(settings: ProviderSettings): ProviderSettings {
  const problem = problemOf(settings)
  if (problem !== undefined) throw providerSettingsInvalid({ problem })
  return settings
}

/** Only what is given. */
function settingsIn(request: Partial<ProviderSettings>): Partial<ProviderSettings> {
  const { join, groups, linkByVerifiedEmail, recheckHours } = request
  return Object.fromEntries(
    Object.entries({ join, groups, linkByVerifiedEmail, recheckHours }).filter(([, value]) => value !== undefined),
  ) as Partial<ProviderSettings>
}

function present(row: OidcProviderRow, appOrigin: string): SignInProvider {
  return {
    id: row.id,
    name: row.name,
    issuer: row.issuer,
    clientId: row.client_id,
    hasClientSecret: row.sealed_secret !== null,
    ...settingsOf(row),
    addresses: addressesOf(row.id, appOrigin),
  }
}
