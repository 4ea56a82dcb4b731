// #region events
import { Injectable } from '@nestjs/common'
import { EventEmitter2, OnEvent } from '@nestjs/event-emitter'
import type { Task } from '@svc-audio/core'
import type { WebhookContext } from '@svc-audio/core/webhooks'
import { OnAudioTask } from '@svc-audio/nestjs'

/** Turns the callbacks of finished tasks into events of the app. */
@Injectable()
export class TaskEvents {
  constructor(private readonly events: EventEmitter2) {}

  @OnAudioTask()
  async finished(task: Task, { state }: WebhookContext) {
    // Wait for every listener. If one fails, the service calls again.
    await this.events.emitAsync(`${task.object}.${task.status}`, task, state)
  }
}

/** A part of the app without knowledge of callbacks. */
@Injectable()
export class Archive {
  readonly ids: string[] = []

  @OnEvent('audio.speech.SUCCESS', { suppressErrors: false })
  store({ id }: Task) {
    this.ids.push(id)
  }
}
// #endregion
