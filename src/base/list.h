/* Doubly linked lists, whose links are members of their items. */
#ifndef PINSIGHT_BASE_LIST_H
#define PINSIGHT_BASE_LIST_H

/* Puts `item` in front of the list that begins at `head`. `next` and `previous` name the members of
 * an item that point to its neighbours. The caller holds the lock of the list. */
#define PINSIGHT_LIST_ADD(head, item, next, previous)                                              \
    do {                                                                                           \
        (item)->previous = NULL;                                                                   \
        (item)->next = (head);                                                                     \
        if (head)                                                                                  \
            (head)->previous = (item);                                                             \
        (head) = (item);                                                                           \
    } while (0)

/* Takes `item` out of the list. The caller holds the lock of the list. */
#define PINSIGHT_LIST_REMOVE(head, item, next, previous)                                           \
    do {                                                                                           \
        if ((item)->previous)                                                                      \
            (item)->previous->next = (item)->next;                                                 \
        else                                                                                       \
            (head) = (item)->next;                                                                 \
        if ((item)->next)                                                                          \
            (item)->next->previous = (item)->previous;                                             \
    } while (0)

#endif
