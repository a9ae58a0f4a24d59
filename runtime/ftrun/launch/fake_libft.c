/* fake_libft: an empty libft.so.0, so that fake_rank needs a library of that name. */
extern const int ft_fake;
const int ft_fake = 1;
