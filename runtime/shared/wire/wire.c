/* wire: one message is one packet: head, payload, tail. sendmsg gathers the three, so nothing is
 * copied and nothing is allocated; a descriptor travels as SCM_RIGHTS with the packet. */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include "wire/wire.h"

/* Space for one descriptor in a control message, aligned as the kernel wants it. */
union ancillary {
    struct cmsghdr head;
    char space[CMSG_SPACE(sizeof(int))];
};

static void attach_descriptor(struct msghdr *message, union ancillary *ancillary, int fd)
{
    memset(ancillary, 0, sizeof(*ancillary));
    message->msg_control = ancillary->space;
    message->msg_controllen = sizeof(ancillary->space);
    struct cmsghdr *head = CMSG_FIRSTHDR(message);
    head->cmsg_level = SOL_SOCKET;
    head->cmsg_type = SCM_RIGHTS;
    head->cmsg_len = CMSG_LEN(sizeof(int));
    memcpy(CMSG_DATA(head), &fd, sizeof(int));
}

int ft_wire_send(int socket, uint32_t type, const void *payload, size_t length, const void *tail,
                 size_t tail_length, int fd)
{
    struct ft_wire_head head = {.type = type, .length = (uint32_t)(length + tail_length)};
    struct iovec parts[3] = {{&head, sizeof(head)},
                             {(void *)(uintptr_t)payload, length},
                             {(void *)(uintptr_t)tail, tail_length}};
    struct msghdr message = {.msg_iov = parts, .msg_iovlen = 3};
    union ancillary ancillary;
    ssize_t sent;

    if (length > FT_WIRE_MAX || tail_length > FT_WIRE_MAX ||
        sizeof(head) + length + tail_length > FT_WIRE_MAX)
        return -EMSGSIZE;
    if (fd >= 0)
        attach_descriptor(&message, &ancillary, fd);
    do
        sent = sendmsg(socket, &message, MSG_NOSIGNAL);
    while (sent < 0 && errno == EINTR);
    return sent < 0 ? -errno : 0;
}

int ft_wire_send_list(int socket, uint32_t type, const void *list, size_t size, size_t count)
{
    struct ft_wire_number first = {0};
    const size_t room = (FT_WIRE_MAX - sizeof(struct ft_wire_head) - sizeof(first)) / size;
    int code = 0;

    for (size_t at = 0, part; code == 0 && at < count; at += part) {
        part = count - at < room ? count - at : room;
        first.value = (int64_t)at;
        code = ft_wire_send(socket, type, &first, sizeof(first), (const char *)list + at * size,
                            part * size, -1);
    }
    return code;
}

/* Takes the first descriptor out of a received message; closes what nobody expects. */
static int take_descriptor(struct msghdr *message)
{
    int taken = -1;

    for (struct cmsghdr *head = CMSG_FIRSTHDR(message); head; head = CMSG_NXTHDR(message, head)) {
        int fd;

        if (head->cmsg_level != SOL_SOCKET || head->cmsg_type != SCM_RIGHTS)
            continue;
        memcpy(&fd, CMSG_DATA(head), sizeof(int));
        if (taken < 0)
            taken = fd;
        else
            close(fd);
    }
    return taken;
}

ssize_t ft_wire_receive(int socket, int wait, void *buffer, int *fd)
{
    struct iovec part = {buffer, FT_WIRE_MAX};
    union ancillary ancillary;
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = ancillary.space,
                             .msg_controllen = sizeof(ancillary.space)};
    struct ft_wire_head head;
    ssize_t got;

    *fd = -1;
    do
        got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC | (wait ? 0 : MSG_DONTWAIT));
    while (got < 0 && errno == EINTR);
    if (got < 0)
        return -errno;
    *fd = take_descriptor(&message);
    if (*fd < 0 && message.msg_flags & MSG_CTRUNC)
        *fd = -EMFILE;
    if (got == 0)
        return 0;
    if (got >= (ssize_t)sizeof(head)) {
        memcpy(&head, buffer, sizeof(head));
        if (!(message.msg_flags & MSG_TRUNC) && head.length == (size_t)got - sizeof(head))
            return got;
    }
    if (*fd >= 0)
        close(*fd);
    *fd = -1;
    return -EPROTO;
}

const void *ft_wire_payload(const void *buffer, size_t length)
{
    struct ft_wire_head head;

    memcpy(&head, buffer, sizeof(head));
    return head.length < length ? NULL : (const char *)buffer + sizeof(head);
}
