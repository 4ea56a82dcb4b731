import type { TaskCreation } from '@svc-audio/core'
import type { Response } from 'express'

/** Answers 202 with a new task, and `Retry-After` if the service named a polling interval. */
export function sendTask(response: Response, creation: TaskCreation): void {
  const { retry_after: seconds } = creation
  if (typeof seconds === 'number') response.setHeader('retry-after', Math.ceil(seconds))
  response.status(202).json(creation)
}
