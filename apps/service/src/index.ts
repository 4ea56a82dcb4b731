export { type RunningService, type ServiceOptions, startService } from './service.ts'
