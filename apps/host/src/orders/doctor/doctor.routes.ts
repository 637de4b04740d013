import { hostPaths } from '@threadbox/protocol/host'
import type { Hono } from 'hono'
import type { Doctor } from './doctor.ts'

export function addDoctorRoutes(app: Hono, doctor: Doctor): void {
  app.get(hostPaths.doctor, async (context) => context.json(await doctor.examine()))
}
