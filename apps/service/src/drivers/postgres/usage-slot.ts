import { USAGE_SLOTS } from './end-task.ts'

/** Returns the part of the sums of usage that this process adds to. */
export function usageSlot(): number {
  return process.pid % USAGE_SLOTS
}
