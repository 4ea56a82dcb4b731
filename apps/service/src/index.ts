export { type RunningService, startService } from './service.ts'
export type { ServiceOptions } from './service-options.ts'
