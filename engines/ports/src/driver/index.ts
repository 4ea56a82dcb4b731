export { cancellable, type CancellableOptions, cancellableSource, END, streamOver } from './cancellable.ts'
export {
  BACKGROUND_PRIORITY,
  checkPriorities,
  DEFAULT_PRIORITIES,
  ENGINE_PRIORITY,
  lowerPriority,
  type Priorities,
  setBackgroundPriority,
  stepThreadBack,
  ScheduledTime,
  type ScheduledTimeOptions,
} from './processor-time.ts'
export {
  checkWorkers,
  type IdleThreadsOptions,
  type PooledThread,
  systemTimers,
  ThreadPool,
  type ThreadPoolOptions,
  type Timers,
} from './thread-pool.ts'
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
