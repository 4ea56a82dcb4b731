export { MAX_POLL_FAILURES } from './poll-pace.ts'
export { type TaskOutcome, TaskWaiter, type TaskWaiterOptions } from './task-waiter.ts'
export { checkTask, isTerminal, type WaitOptions } from './task-watch.ts'
