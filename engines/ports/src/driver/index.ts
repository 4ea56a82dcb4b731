export { cancellable, type CancellableOptions, cancellableSource, END, streamOver } from './cancellable.ts'
export { checkWorkers } from './check-workers.ts'
export {
  BACKGROUND_PRIORITY,
  checkPriorities,
  DEFAULT_PRIORITIES,
  ENGINE_PRIORITY,
  lowerPriority,
  type Priorities,
  setBackgroundPriority,
  stepThreadBack,
} from './priorities.ts'
export { ScheduledTime, type ScheduledTimeOptions } from './scheduled-time.ts'
export { WaitQueue } from './wait-queue.ts'
export {
  compileWasm,
  exportedMemory,
  exportedProcedure,
  instantiateWasm,
  type WasmInstance,
  type WasmMemory,
  type WasmModule,
} from './web-assembly.ts'
