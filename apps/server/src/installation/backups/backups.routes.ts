import { backupsSchema } from '@threadbox/protocol/public'
import { type Api, defineRoute, jsonAnswer, makeApi } from '../../platform/http/api.ts'
import type { BackupReports } from './backups.usecases.ts'

const tags = ['machine']

const listRoute = defineRoute({
  action: 'backups.read',
  method: 'get',
  path: '/machine/backups',
  tags,
  summary: 'List backups, the next one and the last failure (owner and admins only)',
  responses: { 200: jsonAnswer(backupsSchema, 'The backups, as the last run or verification recorded them.') },
})
const runRoute = defineRoute({
  action: 'backups.run',
  method: 'post',
  path: '/machine/backups/run',
  tags,
  summary: 'Start a backup (owner and admins only). Rejected while one runs',
  responses: { 202: jsonAnswer(backupsSchema, 'It runs: write, verify, remove old ones.') },
})

export function backupRoutes({ backups }: { backups: BackupReports }): Api {
  const api = makeApi()
  api.openapi(listRoute, async (context) => context.json(await backups.list(context.get('caller').userId), 200))
  api.openapi(runRoute, async (context) => context.json(await backups.run(context.get('caller').userId), 202))
  return api
}
